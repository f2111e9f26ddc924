import { WaitingLines } from "../concurrency/waiting-lines.js";

/** A change whose work is done, and whether it is committed; `null` while that is unknown. */
interface Ending {
  readonly tell: () => Promise<void>;
  /** Begins to find out how it ended; `null` when that has begun, or is told without. */
  ask: (() => void) | null;
  isCommitted: boolean | null;
  told: Promise<void> | null;
}

/**
 * Tells of changes in the order of their commits. Those of one organization commit in the order in which their works
 * end, but a database may answer the later one first.
 */
export class CommitOrder {
  private readonly lines = new WaitingLines<Ending>();

  /**
   * Gives a change its place. To be called when its work is done and before its commit.
   * @param tell begins to tell of it at once.
   * @param ask begins to find out how it ended, where its commit is another's: not before that is known of all before it.
   * @returns what takes how it ended, once. It waits until that is told, unless the end of a change before is unknown:
   *   then it is told after that one, and nobody waits for it.
   */
  expect(
    organizationId: string,
    tell: () => Promise<void>,
    ask: (() => void) | null = null,
  ): (isCommitted: boolean) => Promise<void> {
    const line = this.lines.of(organizationId);
    const ending: Ending = { tell, ask, isCommitted: null, told: null };
    line.push(ending);
    this.tellEnded(organizationId, line);
    return async (isCommitted) => {
      ending.isCommitted = isCommitted;
      this.tellEnded(organizationId, line);
      await ending.told;
    };
  }

  private tellEnded(organizationId: string, line: Ending[]): void {
    for (let next = line[0]; next !== undefined && next.isCommitted !== null; next = line[0]) {
      line.shift();
      if (next.isCommitted) next.told = next.tell();
    }
    const [first] = line;
    if (first !== undefined) {
      first.ask?.();
      first.ask = null;
    } else {
      this.lines.emptied(organizationId, line);
    }
  }
}
