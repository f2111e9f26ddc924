import { waitForLoopIteration } from "../../../../src/base/concurrency/event-loop.js";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { signals } from "../../../../src/base/signals.js";
import type { Session, SharedCommit } from "../../kysely/session/session.js";
import { GuardedSession } from "../../kysely/session/session.js";
import type { SqliteConnection } from "../connection/connection.js";
import type { QueuedTransaction, TransactionQueue } from "./transaction-queue.js";

/**
 * How long a group accepts further transactions, in milliseconds. It is short because transactions that have already run wait for
 * the commit.
 */
const OPEN = 8;
const MOST = 128;

export interface CommitStages {
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
  readonly leaves = {};
  #isCommitted = false;

  /**
   * @param connection a connection on which a transaction has just begun.
   * @param queue the waiting transactions. Transactions that couldn't be committed return to the front of this queue.
   * @param begins an object that identifies the committed state before this commit, or `null` if another connection might have
   *   changed it.
   */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly queue: TransactionQueue,
    readonly begins: object | null,
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
      this.#rollBack(reason);
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
    for (let next = this.queue.shift(); next !== undefined; next = this.#joining()) {
      this.#members.push(next);
      const { changes } = this.connection;
      if (yield* next.run(this.connection, this)) continue;
      const isFirst = this.#members.length === 1;
      if (isFirst || !this.connection.inTransaction || this.connection.changes !== changes) {
        this.#rollback();
        if (isFirst) next.settle();
        else this.#failBecauseOf(next);
        return false;
      }
    }
    return true;
  }

  /** Takes the next transaction from the queue and returns it, or returns `undefined` if no transaction can share this commit. */
  #joining(): QueuedTransaction | undefined {
    const isOpen = this.#members.length < MOST && performance.now() - this.#startedAt < OPEN;
    const mayShare = this.#members[0]?.isAlone === false && this.queue.first?.isAlone === false;
    return isOpen && mayShare ? this.queue.shift() : undefined;
  }

  /**
   * Puts all transactions back in the queue after a rollback caused by the newest one. The others can share a commit without it.
   * The transaction that failed runs again after them, because their uncommitted changes might have caused its failure.
   */
  #failBecauseOf(culprit: QueuedTransaction): void {
    culprit.isAlone = true;
    this.queue.unshift(...this.#members);
  }

  /**
   * Handles a rollback that can't be attributed to one transaction. If the group has only one transaction, that transaction
   * fails. Otherwise, each transaction runs again, alone.
   */
  #rollBack(reason: unknown): void {
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
    for (const member of this.#members) member.isAlone = true;
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
