import { waitForLoopIteration } from "../../../../src/base/concurrency/event-loop.js";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { unavailable } from "../../../../src/base/errors.js";
import { signals } from "../../../../src/base/signals.js";
import {
  type Executor,
  GuardedSession,
  type Session,
  type SharedCommit,
} from "../../kysely/session/session.js";
import { type SqliteConnection, toPortError } from "../connection/connection.js";

/**
 * How long a group accepts further transactions, in milliseconds. It is short because transactions that have already run wait for
 * the commit.
 */
const GROUP_WINDOW_MS = 8;
const MAX_TRANSACTIONS = 128;

interface CommitStages {
  /**
   * Does as much of the commit's work as possible off the event loop.
   * @param duration how long the transactions took, in milliseconds.
   * @returns a promise to wait for before committing, or `null` if there is nothing to wait for. If the promise rejects, nothing is
   *   committed.
   */
  prepare(duration: number): Promise<void> | null;
  /**
   * Checks, after the commit, that the commit was written to the write-ahead log that other connections read.
   * @throws if the commit was written to a log that has been removed.
   */
  assertLogged(): void;
}

/**
 * Runs queued transactions in one SQLite transaction so that they share a commit. The transactions need no savepoints. If one fails
 * before it has changed anything, there is nothing to undo. If one fails after making changes, everything is rolled back, the
 * remaining transactions run again without it, and then it runs alone. With savepoints, the search index would write a separate
 * segment for each transaction.
 */
export class CommitGroup implements SharedCommit {
  readonly #startedAt = performance.now();
  readonly #members: QueuedTransaction[] = [];
  readonly #beforeCommit: ((session: Session) => Step<void>)[] = [];
  readonly stateAfter = {};
  #isCommitted = false;

  /**
   * @param connection a connection on which a transaction has just begun.
   * @param queue the waiting transactions. Transactions that couldn't be committed return to the front of this queue.
   * @param stateBefore an object that identifies the committed state before this commit, or `null` if another connection might have
   *   changed it.
   */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly queue: TransactionQueue,
    readonly stateBefore: object | null,
  ) {}

  /** Runs transactions from the queue one at a time, commits them together, and then settles their promises. */
  *run({ prepare, assertLogged }: CommitStages): Step<void> {
    let preparation: Promise<void> | null = null;
    try {
      if (!(yield* this.#runWork())) return;
      const session = new GuardedSession(this.connection, null, this);
      for (const step of this.#beforeCommit) yield* step(session);
      preparation = prepare(performance.now() - this.#startedAt);
      if (preparation !== null) yield preparation;
      this.connection.execute("commit");
      assertLogged();
      this.#isCommitted = true;
      signals.commit.send(this.#members.length);
    } catch (reason) {
      this.#rollback();
      this.#handleRollback(reason);
      return;
    }
    for (const member of this.#members) member.settle();
    // A commit with a preparation takes long, so let due timers run before the next group.
    if (preparation !== null) yield waitForLoopIteration();
  }

  get isCommitted(): boolean {
    return this.#isCommitted;
  }

  /** Number of transactions that share the commit. */
  get size(): number {
    return this.#members.length;
  }

  runBeforeCommit(step: (session: Session) => Step<void>): void {
    this.#beforeCommit.push(step);
  }

  /**
   * Runs the group's transactions.
   * @returns `true` if there is something to commit.
   */
  *#runWork(): Step<boolean> {
    for (let next = this.queue.shift(); next !== undefined; next = this.#takeNext()) {
      this.#members.push(next);
      const { changes } = this.connection;
      if (yield* next.run(this.connection, this)) continue;
      const isFirst = this.#members.length === 1;
      if (isFirst || !this.connection.inTransaction || this.connection.changes !== changes) {
        this.#rollback();
        if (isFirst) next.settle();
        else this.#retryWithout(next);
        return false;
      }
    }
    return true;
  }

  /** Takes the next transaction from the queue and returns it, or returns `undefined` if no transaction can share this commit. */
  #takeNext(): QueuedTransaction | undefined {
    const isOpen =
      this.#members.length < MAX_TRANSACTIONS && performance.now() - this.#startedAt < GROUP_WINDOW_MS;
    const mayShare = this.#members[0]?.needsOwnCommit === false && this.queue.first?.needsOwnCommit === false;
    return isOpen && mayShare ? this.queue.shift() : undefined;
  }

  /**
   * Puts all transactions back in the queue after a rollback caused by the newest one. The others can share a commit without it.
   * The transaction that failed runs again after them, because their uncommitted changes might have caused its failure.
   */
  #retryWithout(culprit: QueuedTransaction): void {
    culprit.needsOwnCommit = true;
    this.queue.unshift(...this.#members);
  }

  /**
   * Handles a rollback that can't be attributed to one transaction. If the group has only one transaction, that transaction
   * fails. Otherwise, each transaction runs again, alone.
   */
  #handleRollback(reason: unknown): void {
    const [first, second] = this.#members;
    if (first === undefined || second !== undefined) {
      this.#retryAlone();
    } else {
      first.fail(reason);
      first.settle();
    }
  }

  /**
   * Puts all transactions back in the queue, in the same order, to run alone. This is safe because no caller's promise has been
   * settled yet.
   */
  #retryAlone(): void {
    for (const member of this.#members) member.needsOwnCommit = true;
    this.queue.unshift(...this.#members);
  }

  #rollback(): void {
    // After some errors, SQLite has already rolled back.
    if (!this.connection.inTransaction) return;
    try {
      this.connection.execute("rollback");
    } catch {
      // The earlier error is reported instead. If this one persists, the next transaction can't begin and reports it.
    }
  }
}

/**
 * Maximum number of waiting transactions per organization, and maximum wait of each transaction in milliseconds of running time.
 */
const MAX_WAITING = 10_000;
export const MAX_WAIT_MS = 30_000;

/** Interval between checks for transactions that have waited too long, in milliseconds. */
export const CHECK_INTERVAL_MS = 500;

/**
 * Queues transactions. Organizations take turns, with one transaction per turn. Transactions from the same organization run in the
 * order in which they arrive.
 */
export class TransactionQueue {
  /** Transactions that {@link unshift} returned to the queue. They run before all others. */
  readonly #returnedTransactions: QueuedTransaction[] = [];
  /** Each organization's queue, unless it is empty, in turn order. */
  readonly #turnOrder: QueuedTransaction[][] = [];
  readonly #queuesByOrganization = new Map<string, QueuedTransaction[]>();
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
    const queue = this.#queuesByOrganization.get(transaction.organizationId) ?? [];
    if (queue.length >= MAX_WAITING) {
      const cause = new Error("too many changes of the organization are waiting");
      throw unavailable("crowded", cause);
    }
    transaction.addedAtCheck = this.#checks;
    queue.push(transaction);
    if (queue.length > 1) return;
    this.#queuesByOrganization.set(transaction.organizationId, queue);
    this.#turnOrder.push(queue);
  }

  shift(): QueuedTransaction | undefined {
    if (this.#returnedTransactions.length > 0) return this.#returnedTransactions.shift();
    const queue = this.#turnOrder.shift();
    const next = queue?.shift();
    if (queue !== undefined && next !== undefined) {
      if (queue.length > 0) this.#turnOrder.push(queue);
      else this.#queuesByOrganization.delete(next.organizationId);
    }
    return next;
  }

  /** Returns how long a transaction has waited, in milliseconds. The result is a multiple of {@link CHECK_INTERVAL_MS}. */
  getWaitMs({ addedAtCheck }: QueuedTransaction): number {
    return (this.#checks - addedAtCheck) * CHECK_INTERVAL_MS;
  }

  /**
   * Rejects transactions that have waited too long. They fail with `storage_unavailable` before any of their work has run. Call
   * this every {@link CHECK_INTERVAL_MS} while transactions are waiting.
   * @param reason why the transactions had to wait.
   */
  rejectExpired(reason: "crowded" | "nested"): void {
    this.#checks += 1;
    for (const queue of this.#turnOrder.splice(0)) {
      let [first] = queue;
      for (; first !== undefined && this.getWaitMs(first) > MAX_WAIT_MS; [first] = queue) {
        queue.shift();
        const cause = new Error("earlier changes took too long");
        first.fail(unavailable(reason, cause));
        first.settle();
        if (queue.length === 0) this.#queuesByOrganization.delete(first.organizationId);
      }
      if (queue.length > 0) this.#turnOrder.push(queue);
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
  addedAtCheck: number;
  /**
   * The ID of the organization in whose queue the transaction waits, or an empty string if the transaction isn't for a particular
   * organization.
   */
  readonly organizationId: string;
  /** Whether the transaction needs a commit of its own, because it is large or because a shared commit has failed. */
  needsOwnCommit: boolean;
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

interface PromiseSettlers<T> {
  resolve(result: T): void;
  reject(reason: unknown): void;
}

/** The outcome of a transaction's work. */
type Outcome<T> =
  | { readonly isSuccess: true; readonly result: T }
  | { readonly isSuccess: false; readonly reason: unknown };

export class WaitingTransaction<T> implements QueuedTransaction {
  addedAtCheck = 0;
  needsOwnCommit: boolean;
  #outcome: Outcome<T> | null = null;

  constructor(
    private readonly work: (session: Session) => Step<T>,
    private readonly caller: PromiseSettlers<T>,
    public isLarge: boolean,
    readonly organizationId: string,
  ) {
    this.needsOwnCommit = isLarge;
  }

  *run(executor: Executor, commit?: SharedCommit): Step<boolean> {
    const session = new GuardedSession(executor, null, commit);
    try {
      const result = yield* this.work(session);
      session.assertNotFailed();
      this.#outcome = { isSuccess: true, result };
      return true;
    } catch (reason) {
      this.fail(reason);
      return false;
    } finally {
      session.end();
    }
  }

  fail(reason: unknown): void {
    this.#outcome = { isSuccess: false, reason: toPortError(reason) };
  }

  settle(): void {
    const outcome = this.#outcome;
    if (outcome === null) return;
    if (outcome.isSuccess) this.caller.resolve(outcome.result);
    else this.caller.reject(outcome.reason);
  }
}
