import { randomInt } from "node:crypto";
import { setImmediate } from "node:timers";
import { runStep, type Step } from "../../../../src/base/concurrency/step.js";
import { isLoyaltyError, unavailable } from "../../../../src/base/errors.js";
import { Admission, type Fence } from "../../kysely/session/admission.js";
import type { Session, SqlTransactionOptions } from "../../kysely/session/session.js";
import {
  BusyRetry,
  type SqliteConnection,
  TablesCheck,
  tablesVersionQuery,
} from "../connection/connection.js";
import { isSqliteError } from "../driver/driver.js";
import { FileGuard } from "../library/file-guard.js";
import {
  CHECK_INTERVAL_MS,
  CommitGroup,
  type QueuedTransaction,
  TransactionQueue,
  WaitingTransaction,
} from "./commit-group.js";
import { ManagedConnection } from "./managed-connection.js";
import { TransactionThread } from "./transaction-thread.js";
import { WriteAheadLog } from "./write-ahead-log.js";

/** Maximum number of tasks that may wait for the current transaction to end before further host tasks are rejected. */
const MAX_WAITING_TASKS = 1_000;
/** Keeps connections open until the process ends, because garbage collection would close them. */
const abandonedConnections = new Set<SqliteConnection>();

/**
 * Runs transactions that can write, one at a time across all processes. Transactions that are waiting at the same time share a
 * commit.
 */
export class Writer {
  readonly #admission = new Admission();
  readonly #retry = new BusyRetry();
  readonly #log: WriteAheadLog;
  readonly #guard: FileGuard;
  readonly #queue = new TransactionQueue();
  /** Tasks that wait for the current transaction to end. They never reject. */
  readonly #waitingTasks: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;
  /**
   * The fence that rejects transactions once another release has migrated the tables, or `null` until this process has migrated
   * them.
   */
  #fence: Fence | null = null;
  #tables: TablesCheck | null = null;
  /** Identifies the state after the newest commit, or `null` if another connection might have committed since. */
  #state: object | null = null;
  /** Whether a transaction is open on another connection, either in a thread or as a managed transaction. */
  #isOtherConnectionWriting = false;
  /** Whether a host's task is currently running between transactions, which wait until it has finished. */
  #isHostTaskRunning = false;
  /** Timer that rejects expired transactions. It runs while transactions may be waiting. */
  #expiryTimer: NodeJS.Timeout | null = null;

  /** @param connection the connection to use, which the writer takes ownership of and eventually closes. */
  constructor(private readonly connection: SqliteConnection) {
    this.#log = new WriteAheadLog(connection);
    this.#guard = new FileGuard(connection.file);
  }

  /** The file's absolute path. */
  get file(): string {
    return this.connection.file;
  }

  /** Identifier of the SQLite library that this writer uses, as returned by {@link readLibraryId}. */
  get libraryId(): number | null {
    return readLibraryId(this.connection);
  }

  /**
   * Checks that no other SQLite library in this process is known to have the file open.
   * @throws {TypeError} if another library has it open.
   */
  assertSoleLibrary(): void {
    this.#guard.assertAlone();
  }

  /**
   * Checks for another SQLite library immediately.
   * @returns `false` if the check can't determine whether another library has the file open.
   * @throws the same error as {@link assertSoleLibrary}.
   */
  checkSoleLibrary(): boolean {
    return this.#guard.check();
  }

  /** Turns on foreign key enforcement for the connection. Call this after the migration. */
  enableForeignKeys(): void {
    this.connection.pragma("foreign_keys = on");
  }

  /** Sets the fence, which rejects later transactions if another release has migrated the tables. */
  setFence(fence: Fence): void {
    this.#fence = fence;
    this.#tables = new TablesCheck(this.connection, fence);
  }

  /**
   * Queues a transaction.
   * @returns the result of `work`, once the transaction has been committed.
   * @throws any error from `work` or SQLite.
   * @throws {LoyaltyError} `storage_unavailable` if the file stays busy for 10 s, the disk is full, too many transactions are
   *   waiting, this transaction has waited for 30 s, or the fence rejects it.
   */
  transaction<T>(
    work: (session: Session) => Step<T>,
    { isLarge = false, organizationId = "" }: SqlTransactionOptions = {},
  ): Promise<T> {
    return this.#admission.track(
      () =>
        new Promise<T>((resolve, reject) => {
          this.#queue.push(new WaitingTransaction(work, { resolve, reject }, isLarge, organizationId));
          this.#running ??= runStep(this.#processQueue());
          this.#expiryTimer ??= setInterval(() => this.#rejectExpired(), CHECK_INTERVAL_MS).unref();
        }),
    );
  }

  /**
   * Runs a task between transactions, before the connection is closed. Until the task has settled, no transaction begins on this
   * connection.
   * @throws any error from the task.
   */
  runBetweenTransactions<T>(task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waitingTasks.push(() => task().then(resolve, reject));
      this.#running ??= runStep(this.#processQueue());
    });
  }

  /**
   * Runs a host's task between transactions, like {@link runBetweenTransactions}.
   * @throws any error from the task, or `storage_unavailable` if too many tasks are waiting.
   */
  async runHostTask<T>(task: () => Promise<T>): Promise<T> {
    if (this.#waitingTasks.length >= MAX_WAITING_TASKS) {
      throw unavailable("crowded", new Error("too many transactions are waiting"));
    }
    return this.runBetweenTransactions(async () => {
      this.#guard.assertAlone();
      this.#isHostTaskRunning = true;
      const result = await task().finally(() => {
        this.#isHostTaskRunning = false;
      });
      this.#guard.assertLogged();
      this.#log.onCommit();
      return result;
    });
  }

  /**
   * Runs a host's work in a managed transaction, which takes turns with the process's other transactions on this file.
   * @throws the errors that the storage port documents for managed transactions.
   */
  runManaged<T>(work: (tx: ManagedConnection) => Promise<T>, timeoutMs: number): Promise<T> {
    return this.runHostTask(() =>
      this.#runOnOtherConnection(() =>
        ManagedConnection.runTransaction(
          { file: this.file, pragmas: this.#listPragmas(), fence: this.#fence },
          work,
          timeoutMs,
        ),
      ),
    );
  }

  /** Whether this process might have an open transaction that can't continue while the event loop is blocked. */
  get isWriting(): boolean {
    return this.#isOtherConnectionWriting || this.connection.inTransaction;
  }

  /** Empties the write-ahead log. Gives up if a connection keeps reading the log for too long. */
  emptyLog(): Promise<void> {
    return this.runBetweenTransactions(() => this.#log.empty());
  }

  /** Rejects further transactions and waits for the queued ones to finish. Call it only once. */
  async drain(): Promise<void> {
    await this.#admission.close();
    await this.#running;
  }

  /**
   * Writes the log to the database, unless a connection is reading it, and closes the file. If another SQLite library in this
   * process has the file open, the log is kept. Call this last.
   */
  async close(): Promise<void> {
    this.#guard.close();
    if (this.#guard.hasFailed) return this.#abandon();
    try {
      await this.#log.close();
    } finally {
      this.connection.close();
    }
  }

  /**
   * Leaves the connection open, because closing the last connection would remove the log, and another library in this process
   * might still be writing to the log.
   */
  async #abandon(): Promise<void> {
    abandonedConnections.add(this.connection);
    await this.#log.closeKeepingLog();
  }

  #rejectExpired(): void {
    this.#queue.rejectExpired(this.#isHostTaskRunning ? "nested" : "crowded");
    if (this.#running !== null) return;
    clearInterval(this.#expiryTimer ?? undefined);
    this.#expiryTimer = null;
  }

  *#processQueue(): Step<void> {
    // Calls made in the same tick share the commit.
    yield Promise.resolve();
    while (this.#waitingTasks.length > 0 || !this.#queue.isEmpty) {
      if (this.#waitingTasks.length > 0) yield this.#runWaitingTasks();
      // Removes the transaction from the queue, where it could be rejected as expired while it runs.
      const next = this.#queue.shift();
      if (next === undefined) continue;
      if (next.isLarge) {
        yield this.#runOnOtherConnection(() => this.#runLarge(next));
        yield waitForIteration();
        continue;
      }
      try {
        yield* this.#begin(() => this.#beginHere(), this.#queue.getWaitMs(next));
      } catch (reason) {
        next.fail(reason);
        next.settle();
        continue;
      }
      this.#queue.unshift(next);
      const group = new CommitGroup(this.connection, this.#queue, this.#state);
      yield* group.run({
        prepare: (duration) => this.#log.beforeCommit(duration),
        assertLogged: () => this.#guard.assertLogged(),
      });
      this.#state = group.isCommitted ? group.stateAfter : null;
      // Lets transactions that arrived during the commit join the next group. Without this pause, consecutive groups would block
      // everything else: requests, timers and other processes.
      yield waitForIteration();
      this.#log.onCommit(group.size);
    }
    this.#running = null;
  }

  async #runOnOtherConnection<T>(transaction: () => Promise<T>): Promise<T> {
    this.#isOtherConnectionWriting = true;
    try {
      return await transaction();
    } finally {
      this.#isOtherConnectionWriting = false;
    }
  }

  async #runLarge(next: QueuedTransaction): Promise<void> {
    const thread = this.#getThread();
    const stages = {
      fence: this.#fence,
      begin: (attempt: () => Promise<void>) => runStep(this.#begin(attempt, this.#queue.getWaitMs(next))),
      assertLogged: () => this.#guard.assertLogged(),
    };
    if (thread === null || !(await runLarge(next, thread, stages))) {
      next.isLarge = false;
      this.#queue.unshift(next);
      return;
    }
    this.#log.onLargeCommit();
  }

  #beginHere(): void {
    this.connection.execute("begin immediate");
    try {
      if (this.#tables?.assertCurrent() !== true) this.#state = null;
    } catch (error) {
      this.connection.execute("rollback");
      throw error;
    }
  }

  /** Starts a thread for a large transaction. Returns `null` if no thread can be started. */
  #getThread(): TransactionThread | null {
    try {
      return new TransactionThread(this.connection.file, this.#listPragmas());
    } catch {
      return null;
    }
  }

  /** Returns the pragmas that make another connection commit and delete in the same way that this one does. */
  #listPragmas(): string[] {
    const pragmas = ["synchronous", "secure_delete"].map(
      (name) => `${name} = ${this.connection.pragma(name)}`,
    );
    return [...pragmas, "foreign_keys = on", "wal_autocheckpoint = 0"];
  }

  /**
   * Begins a transaction, retrying while another process holds the lock.
   * @param attempt a function that begins the transaction by acquiring the lock. The lock must be acquired before the first read,
   *   so that data that has been read can't change before the write.
   */
  *#begin(attempt: () => void | Promise<void>, waitedMs: number): Step<void> {
    this.#guard.assertAlone();
    if (this.#log.isDraining) yield this.#log.whenIdle();
    // Run waiting tasks between attempts, because one of them may allow the lock's holder to release it.
    const begin = () => (this.#waitingTasks.length === 0 ? attempt() : this.#runWaitingTasks().then(attempt));
    yield* this.#retry.run(begin, waitedMs);
    this.#log.onTransactionBegin();
  }

  async #runWaitingTasks(): Promise<void> {
    for (const task of this.#waitingTasks.splice(0)) {
      if (this.#log.isDraining) await this.#log.whenIdle();
      // The task may take the write lock, which the log needs too.
      this.#log.onTransactionBegin();
      await task();
      this.#log.onTransactionEnd();
    }
  }
}

/** Waits for the next event loop iteration. */
function waitForIteration(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface LargeStages {
  /** Runs `attempt`, and retries it while another connection is writing. */
  begin(attempt: () => Promise<void>): Promise<void>;
  /**
   * The fence that rejects the transaction if another release has migrated the tables, or `null` if the tables might not exist
   * yet.
   */
  readonly fence: Fence | null;
  /**
   * Checks, after the commit, that the commit was written to the write-ahead log that other connections read.
   * @throws if the commit was written to a log that has been removed.
   */
  assertLogged(): void;
}

/**
 * Runs a transaction on its own connection in a thread, ends the thread, and settles the transaction with the result. The returned
 * promise never rejects.
 * @returns `false` if the thread couldn't start. In that case, the transaction has not run and is not settled.
 */
async function runLarge(
  transaction: QueuedTransaction,
  thread: TransactionThread,
  { begin, fence, assertLogged }: LargeStages,
): Promise<boolean> {
  let hasBegun = false;
  try {
    await begin(() => thread.execute("begin immediate"));
    hasBegun = true;
    if (fence !== null) await assertSchemaVersion(thread, fence);
    if (await runStep(transaction.run(thread))) {
      await thread.execute("commit");
      assertLogged();
    }
  } catch (reason) {
    if (!hasBegun && !isLoyaltyError(reason) && !isSqliteError(reason)) {
      await thread.close();
      return false;
    }
    transaction.fail(reason);
  }
  // Rolls back the transaction if it hasn't been committed by now.
  await thread.close();
  transaction.settle();
  return true;
}

async function assertSchemaVersion(thread: TransactionThread, fence: Fence): Promise<void> {
  const [row] = await thread.all(tablesVersionQuery);
  fence.assertCurrent(row?.version ?? null);
}

/** A limit in bytes that no process reaches, so that this limit and higher ones have no effect. */
const NO_LIMIT = 2 ** 52;

/**
 * Returns a number that identifies the connection's SQLite library within this process. The number is the library's soft heap limit
 * (`pragma soft_heap_limit`), which all of a library's connections share. If no limit is set, sets a random one that is too high to
 * have any effect.
 * @returns the number, or `null` if the host has set a limit. The host's limit is left unchanged.
 */
function readLibraryId(connection: SqliteConnection): number | null {
  const limit = Number(connection.pragma("soft_heap_limit"));
  if (limit >= NO_LIMIT) return limit;
  if (limit > 0) return null;
  connection.pragma(`soft_heap_limit = ${NO_LIMIT + randomInt(2 ** 47)}`);
  return Number(connection.pragma("soft_heap_limit"));
}
