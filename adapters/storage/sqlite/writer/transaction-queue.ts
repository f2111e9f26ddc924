import type { Step } from "../../../../src/base/concurrency/step.js";
import { unavailable } from "../../../../src/base/errors.js";
import type { Executor, Session, SharedCommit } from "../../kysely/session/session.js";
import { GuardedSession } from "../../kysely/session/session.js";
import { toPortError } from "../connection/errors.js";

/**
 * Maximum number of waiting transactions per organization, and maximum wait of each transaction in milliseconds of running time.
 */
const MOST = 10_000;
export const MAX_WAIT_MS = 30_000;

/** Interval between checks for transactions that have waited too long, in milliseconds. */
export const CHECK_MS = 500;

/**
 * Queues transactions. Organizations take turns, with one transaction per turn. Transactions from the same organization run in the
 * order in which they arrive.
 */
export class TransactionQueue {
  /** Transactions that {@link unshift} returned to the queue. They run before all others. */
  readonly #returnedTransactions: QueuedTransaction[] = [];
  /** Each organization's queue, unless it is empty, in turn order. */
  readonly #turnOrder: QueuedTransaction[][] = [];
  readonly #lines = new Map<string, QueuedTransaction[]>();
  /**
   * The number of checks so far. Waiting times are measured in checks so that time during which the process is suspended doesn't
   * count.
   */
  #checks = 0;

  get isEmpty(): boolean {
    return this.#returnedTransactions.length === 0 && this.#turnOrder.length === 0;
  }

  /** The transaction that {@link shift} would return. Reading it doesn't remove it from the queue. */
  get first(): QueuedTransaction | undefined {
    return this.#returnedTransactions[0] ?? this.#turnOrder[0]?.[0];
  }

  /**
   * Adds a transaction to its organization's queue.
   * @throws {LoyaltyError} `storage_unavailable` if too many of the organization's transactions are already waiting.
   */
  push(transaction: QueuedTransaction): void {
    const line = this.#lines.get(transaction.organizationId) ?? [];
    if (line.length >= MOST) {
      const cause = new Error("too many changes of the organization are waiting");
      throw unavailable("crowded", cause);
    }
    transaction.asked = this.#checks;
    line.push(transaction);
    if (line.length > 1) return;
    this.#lines.set(transaction.organizationId, line);
    this.#turnOrder.push(line);
  }

  shift(): QueuedTransaction | undefined {
    if (this.#returnedTransactions.length > 0) return this.#returnedTransactions.shift();
    const line = this.#turnOrder.shift();
    const next = line?.shift();
    if (line !== undefined && next !== undefined) {
      if (line.length > 0) this.#turnOrder.push(line);
      else this.#lines.delete(next.organizationId);
    }
    return next;
  }

  /** Returns how long a transaction has waited, in milliseconds. The result is a multiple of {@link CHECK_MS}. */
  waitedMs({ asked }: QueuedTransaction): number {
    return (this.#checks - asked) * CHECK_MS;
  }

  /**
   * Rejects transactions that have waited too long. They fail with `storage_unavailable` before any of their work has run. Call
   * this every {@link CHECK_MS} while transactions are waiting.
   * @param reason why the transactions had to wait.
   */
  rejectExpired(reason: "crowded" | "nested"): void {
    this.#checks += 1;
    for (const line of this.#turnOrder.splice(0)) {
      let [first] = line;
      for (; first !== undefined && this.waitedMs(first) > MAX_WAIT_MS; [first] = line) {
        line.shift();
        const cause = new Error("earlier changes took too long");
        first.fail(unavailable(reason, cause));
        first.settle();
        if (line.length === 0) this.#lines.delete(first.organizationId);
      }
      if (line.length > 0) this.#turnOrder.push(line);
    }
  }

  /** Puts transactions back at the front of the queue, in the given order. */
  unshift(...transactions: readonly QueuedTransaction[]): void {
    this.#returnedTransactions.unshift(...transactions);
  }
}

/** A transaction that waits for its turn and then for its commit. Until the commit, the caller's promise stays pending. */
export interface QueuedTransaction {
  /** The queue's expiry check count when the transaction was added, used to compute how long the transaction has waited. */
  asked: number;
  /**
   * The ID of the organization in whose queue the transaction waits, or an empty string if the transaction isn't for a particular
   * organization.
   */
  readonly organizationId: string;
  /** Whether the transaction needs a commit of its own, because it is large or because a shared commit has failed. */
  isAlone: boolean;
  /** Whether the transaction should run in a separate thread. */
  isLarge: boolean;
  /**
   * Runs the transaction's work on the executor. Never throws.
   * @param commit the commit that the transaction shares with other transactions, if any.
   * @returns `true` if the work succeeded and its changes should be committed.
   */
  run(executor: Executor, commit?: SharedCommit): Step<boolean>;
  /** Marks the transaction as failed, regardless of the result of its work. A full disk is reported as `storage_unavailable`. */
  fail(reason: unknown): void;
  /** Settles the caller's promise with the transaction's result or error. */
  settle(): void;
}

export interface PromiseSettlers<T> {
  resolve(result: T): void;
  reject(reason: unknown): void;
}

/** The outcome of a transaction's work. */
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
