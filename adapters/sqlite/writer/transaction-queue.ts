import { OrganizationQueues } from "../../../src/concurrency/organization-queues.js";
import type { Step } from "../../../src/concurrency/step.js";
import { unavailable } from "../../../src/errors.js";
import type { Executor, Session, SharedCommit } from "../../kysely/session/session.js";
import { GuardedSession } from "../../kysely/session/session.js";
import { toPortError } from "../connection/errors.js";

/** The most waiting transactions of one organization, and the longest wait of each in milliseconds of running time. */
const MOST = 10_000;
export const MAX_WAIT_MS = 30_000;

/** The time between two checks for transactions that have waited for too long, in milliseconds. */
export const CHECK_MS = 500;

/**
 * Queues transactions. Organizations take turns, one transaction each; transactions of one organization run in the order of their
 * arrival.
 */
export class TransactionQueue {
  /** These go before all others. */
  readonly #returned: QueuedTransaction[] = [];
  /** The lines that are not empty; the one whose turn is next comes first. */
  readonly #turns: QueuedTransaction[][] = [];
  readonly #lines = new OrganizationQueues<QueuedTransaction>();
  /** There are no checks while the process stands still. */
  #checks = 0;

  get isEmpty(): boolean {
    return this.#returned.length === 0 && this.#turns.length === 0;
  }

  /** The transaction that {@link shift} would return. */
  get first(): QueuedTransaction | undefined {
    return this.#returned[0] ?? this.#turns[0]?.[0];
  }

  /** @throws {LoyaltyError} `storage_unavailable` if too many of its organization wait. */
  push(transaction: QueuedTransaction): void {
    const line = this.#lines.getOrCreate(transaction.organizationId);
    if (line.length >= MOST) {
      const cause = new Error("too many changes of the organization are waiting");
      throw unavailable("crowded", cause);
    }
    transaction.asked = this.#checks;
    line.push(transaction);
    if (line.length === 1) this.#turns.push(line);
  }

  shift(): QueuedTransaction | undefined {
    if (this.#returned.length > 0) return this.#returned.shift();
    const line = this.#turns.shift();
    const next = line?.shift();
    if (line !== undefined && next !== undefined) {
      if (line.length > 0) this.#turns.push(line);
      else this.#lines.dropIfEmpty(next.organizationId, line);
    }
    return next;
  }

  /** The time for which a transaction has waited, in milliseconds. */
  waitedMs({ asked }: QueuedTransaction): number {
    return (this.#checks - asked) * CHECK_MS;
  }

  /**
   * Refuses those that have waited for too long: they fail with `storage_unavailable`, and nothing of them has run. Call it
   * every {@link CHECK_MS} while some wait.
   * @param reason why they wait.
   */
  rejectExpired(reason: "crowded" | "nested"): void {
    this.#checks += 1;
    for (const line of this.#turns.splice(0)) {
      let [first] = line;
      for (; first !== undefined && this.waitedMs(first) > MAX_WAIT_MS; [first] = line) {
        line.shift();
        const cause = new Error("other changes took too long");
        first.fail(unavailable(reason, cause));
        first.settle();
        if (line.length === 0) this.#lines.dropIfEmpty(first.organizationId, line);
      }
      if (line.length > 0) this.#turns.push(line);
    }
  }

  /** Puts transactions back, to go before all others. */
  unshift(...transactions: readonly QueuedTransaction[]): void {
    this.#returned.unshift(...transactions);
  }
}

/** A transaction that waits for its turn and then for the commit: its caller's promise stays pending until then. */
export interface QueuedTransaction {
  /** The number of checks before its caller began to wait. */
  asked: number;
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

export interface PromiseSettlers<T> {
  resolve(result: T): void;
  reject(reason: unknown): void;
}

/** What a transaction came to. */
type Outcome<T> =
  | { readonly isKept: true; readonly result: T }
  | { readonly isKept: false; readonly reason: unknown };

export class WaitingTransaction<T> implements QueuedTransaction {
  asked = 0;
  isAlone: boolean;
  #outcome: Outcome<T> | null = null;

  constructor(
    private readonly work: (session: Session) => Step<T>,
    private readonly caller: PromiseSettlers<T>,
    public isLarge: boolean,
    readonly organizationId: string,
  ) {
    this.isAlone = isLarge;
  }

  *run(executor: Executor, commit?: SharedCommit): Step<boolean> {
    const session = new GuardedSession(executor, null, commit);
    try {
      const result = yield* this.work(session);
      session.assertNotFailed();
      this.#outcome = { isKept: true, result };
      return true;
    } catch (reason) {
      this.fail(reason);
      return false;
    } finally {
      session.end();
    }
  }

  fail(reason: unknown): void {
    this.#outcome = { isKept: false, reason: toPortError(reason) };
  }

  settle(): void {
    const outcome = this.#outcome;
    if (outcome === null) return;
    if (outcome.isKept) this.caller.resolve(outcome.result);
    else this.caller.reject(outcome.reason);
  }
}
