import type { Step } from "../../../src/concurrency/step.js";
import { failure } from "../../../src/errors.js";
import type { Executor, Session, SharedCommit } from "../../kysely/session/session.js";
import { GuardedSession } from "../../kysely/session/session.js";
import { translated } from "../connection/errors.js";

/** So many transactions of one organization may wait, and each for so many milliseconds. */
const MOST = 10_000;
export const PATIENCE_MS = 30_000;

/**
 * Keeps transactions that wait for their turn: one of each organization that has some, then the next of each. Those of one
 * organization go in the order in which they came.
 */
export class TransactionQueue {
  /** These go before all others. */
  readonly #returned: QueuedTransaction[] = [];
  /** By organization; the one whose turn is next comes first. */
  readonly #waiting = new Map<string, QueuedTransaction[]>();

  get isEmpty(): boolean {
    return this.#returned.length === 0 && this.#waiting.size === 0;
  }

  /** The transaction that {@link shift} would return. */
  get first(): QueuedTransaction | undefined {
    if (this.#returned.length > 0) return this.#returned[0];
    const [line] = this.#waiting.values();
    return line?.[0];
  }

  /** @throws {LoyaltyError} `storage_unavailable` when too many of its organization wait. */
  push(transaction: QueuedTransaction): void {
    const { organizationId } = transaction;
    const line = this.#waiting.get(organizationId);
    if (line === undefined) this.#waiting.set(organizationId, [transaction]);
    else if (line.length < MOST) line.push(transaction);
    else {
      const cause = new Error("too many changes of the organization are waiting");
      throw failure("storage_unavailable", null, { cause });
    }
  }

  shift(): QueuedTransaction | undefined {
    if (this.#returned.length > 0) return this.#returned.shift();
    for (const [organizationId, line] of this.#waiting) {
      const first = line.shift();
      if (line.length === 0) this.#waiting.delete(organizationId);
      else if (this.#waiting.size > 1) this.#putLast(organizationId, line);
      return first;
    }
    return undefined;
  }

  /** Puts an organization behind the others. */
  #putLast(organizationId: string, line: QueuedTransaction[]): void {
    this.#waiting.delete(organizationId);
    this.#waiting.set(organizationId, line);
  }

  /** Refuses those that have waited for too long: they fail with `storage_unavailable`, and nothing of them has run. */
  refuseLate(now = performance.now()): void {
    for (const [organizationId, line] of this.#waiting) {
      while (line[0] !== undefined && now - line[0].asked > PATIENCE_MS) {
        const late = line.shift();
        const cause = new Error("other changes took too long");
        late?.fail(failure("storage_unavailable", null, { cause }));
        late?.settle();
      }
      if (line.length === 0) this.#waiting.delete(organizationId);
    }
  }

  /** Puts transactions back, to go before all others. */
  unshift(...transactions: readonly QueuedTransaction[]): void {
    this.#returned.unshift(...transactions);
  }
}

/** A transaction that waits for its turn and then for the commit: its caller's promise stays pending until then. */
export interface QueuedTransaction {
  /** The time when its caller began to wait, as `performance.now()` has it. */
  readonly asked: number;
  /** Organizations take turns; empty for a transaction of no organization in particular. */
  readonly organizationId: string;
  /** True when it may share a commit with no other: it is large, or a shared one failed. */
  isAlone: boolean;
  /** True when it is to run in a thread. */
  isLarge: boolean;
  /**
   * Does its work inside the transaction that the executor is in.
   * @param commit the one that it shares, where it does.
   * @returns true when it succeeded, and its changes are to be kept. Never throws.
   */
  run(executor: Executor, commit?: SharedCommit): Step<boolean>;
  /** Makes it fail, whatever the result of its work. A full disk is `storage_unavailable`. */
  fail(reason: unknown): void;
  /** Settles its caller's promise with the result of the work. */
  settle(): void;
}

export interface Caller<T> {
  resolve(result: T): void;
  reject(reason: unknown): void;
}

export class PendingTransaction<T> implements QueuedTransaction {
  readonly asked = performance.now();
  isAlone: boolean;
  #settle: () => void = () => undefined;

  constructor(
    private readonly work: (session: Session) => Step<T>,
    private readonly caller: Caller<T>,
    public isLarge: boolean,
    readonly organizationId: string,
  ) {
    this.isAlone = isLarge;
  }

  *run(executor: Executor, commit?: SharedCommit): Step<boolean> {
    const session = new GuardedSession(executor, null, commit);
    try {
      const result = yield* this.work(session);
      session.assertSound();
      this.#settle = () => this.caller.resolve(result);
      return true;
    } catch (reason) {
      this.fail(reason);
      return false;
    } finally {
      session.end();
    }
  }

  fail(reason: unknown): void {
    this.#settle = () => this.caller.reject(translated(reason));
  }

  settle(): void {
    this.#settle();
  }
}
