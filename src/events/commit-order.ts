/** A change whose work is done, and whether it is committed; `null` while that is unknown. */
interface Ending {
  readonly tell: () => Promise<void>;
  isCommitted: boolean | null;
  told: Promise<void> | null;
}

/**
 * Tells of changes in the order of their commits. Those of one organization commit in the order in which their works
 * end, but a database may answer the later one first.
 */
export class CommitOrder {
  /** By organization. */
  private readonly lines = new Map<string, Ending[]>();

  /**
   * Gives a change its place. To be called when its work is done and before its commit.
   * @param tell begins to tell of it at once.
   * @returns what takes how it ended, once. It waits until that is told, unless the end of a change before is unknown:
   *   then it is told after that one, and nobody waits for it.
   */
  expect(organizationId: string, tell: () => Promise<void>): (isCommitted: boolean) => Promise<void> {
    const line = this.lines.get(organizationId) ?? [];
    this.lines.set(organizationId, line);
    const ending: Ending = { tell, isCommitted: null, told: null };
    line.push(ending);
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
    if (line.length === 0 && this.lines.get(organizationId) === line) this.lines.delete(organizationId);
  }
}
