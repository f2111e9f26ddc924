import { setImmediate } from "node:timers";
import { runStep, type Step } from "../../../src/concurrency/step.js";
import { unavailable } from "../../../src/errors.js";
import type { TransactionOptions } from "../../../src/storage/storage-adapter.js";
import type { Fence } from "../../kysely/session/admission.js";
import { Admission } from "../../kysely/session/admission.js";
import type { Session } from "../../kysely/session/session.js";
import { BusyRetry, type SqliteConnection, TablesCheck } from "../connection/connection.js";
import { FileGuard } from "../library/file-guard.js";
import { readLibraryId } from "../library/library-id.js";
import { CommitGroup } from "./commit-group.js";
import { runLarge } from "./large-transaction.js";
import { ManagedConnection } from "./managed-connection.js";
import {
  CHECK_MS,
  type QueuedTransaction,
  TransactionQueue,
  WaitingTransaction,
} from "./transaction-queue.js";
import { TransactionThread } from "./transaction-thread.js";
import { WriteAheadLog } from "./write-ahead-log.js";

/** While this many tasks wait for the end of a managed transaction, no further one begins. */
const MOST_BETWEEN = 1_000;
/** Keeps connections open for as long as the process lasts. Garbage collection would close them. */
const left = new Set<SqliteConnection>();

/**
 * Runs transactions that may write: one at a time here, and none while another process runs one. Those that wait
 * at the same time share a commit.
 */
export class Writer {
  readonly #admission = new Admission();
  readonly #retry = new BusyRetry();
  readonly #log: WriteAheadLog;
  readonly #guard: FileGuard;
  readonly #queue = new TransactionQueue();
  /** The tasks that wait for the end of a transaction; none rejects. */
  readonly #betweenTransactions: (() => Promise<void>)[] = [];
  #atWork: Promise<void> | null = null;
  /** Null while the tables are still to be migrated. */
  #fence: Fence | null = null;
  #tables: TablesCheck | null = null;
  /** Stands for the state that the newest commit left; `null` if another connection may have committed since. */
  #state: object | null = null;
  /** True while a transaction is under way on another connection: in a thread, or lent. */
  #isElsewhere = false;
  /** True while a transaction of the host keeps all others waiting. */
  #isOfHost = false;
  /** Runs while something may wait. */
  #lateness: NodeJS.Timeout | null = null;

  /** @param connection becomes the writer's own, and is closed by it. */
  constructor(private readonly connection: SqliteConnection) {
    this.#log = new WriteAheadLog(connection);
    this.#guard = new FileGuard(connection.file);
  }

  /** The absolute path of the file. */
  get file(): string {
    return this.connection.file;
  }

  /** Distinguishes connections of this SQLite library from others, as {@link readLibraryId} does. */
  get libraryMark(): number | null {
    return readLibraryId(this.connection);
  }

  /** @throws {TypeError} if another SQLite library of this process is known to have the file open. */
  assertSoleLibrary(): void {
    this.#guard.assertAlone();
  }

  /** Checks now for another SQLite library. @returns false where that can't be known. @throws as {@link assertSoleLibrary}. */
  isSoleLibrary(): boolean {
    return this.#guard.check();
  }

  /** From now on a row must refer to one that exists. */
  checkForeignKeys(): void {
    this.connection.pragma("foreign_keys = on");
  }

  /** From now on each transaction has to be let in. */
  setFence(fence: Fence): void {
    this.#fence = fence;
    this.#tables = new TablesCheck(this.connection, fence);
  }

  /**
   * @throws what `work` throws; what SQLite throws; `storage_unavailable` if the file stays busy for 10 s, the disk is full,
   *   too many wait, this one for 30 s, or its fence does not let it in.
   */
  transaction<T>(
    work: (session: Session) => Step<T>,
    { isLarge = false, organizationId = "" }: TransactionOptions = {},
  ): Promise<T> {
    return this.#admission.admit(
      () =>
        new Promise<T>((resolve, reject) => {
          this.#queue.push(new WaitingTransaction(work, { resolve, reject }, isLarge, organizationId));
          this.#atWork ??= runStep(this.#workOff());
          this.#lateness ??= setInterval(() => this.#refuseLate(), CHECK_MS).unref();
        }),
    );
  }

  /**
   * Runs a task while no transaction is open here and before the connection closes; none begins until it ends.
   * @throws what the task throws.
   */
  runBetweenTransactions<T>(task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#betweenTransactions.push(() => task().then(resolve, reject));
      this.#atWork ??= runStep(this.#workOff());
    });
  }

  /**
   * Runs a task of a host as {@link runBetweenTransactions} does.
   * @throws what the task throws; `storage_unavailable` if too many wait.
   */
  async runHostTask<T>(task: () => Promise<T>): Promise<T> {
    if (this.#betweenTransactions.length >= MOST_BETWEEN) {
      throw unavailable("crowded", new Error("too many transactions wait"));
    }
    return this.runBetweenTransactions(async () => {
      this.#guard.assertAlone();
      this.#isOfHost = true;
      const result = await task().finally(() => {
        this.#isOfHost = false;
      });
      this.#guard.assertLogged();
      this.#log.onCommit();
      return result;
    });
  }

  /**
   * Runs a host's work in a transaction of its own, in turn with those here.
   * @throws as the storage port has it.
   */
  runManaged<T>(work: (tx: ManagedConnection) => Promise<T>, timeoutMs: number): Promise<T> {
    return this.runHostTask(() =>
      this.#elsewhere(() => ManagedConnection.lend(this.file, this.#pragmas(), this.#fence, work, timeoutMs)),
    );
  }

  /** True while a transaction of this process may be under way, which needs the event loop to go on. */
  get isWriting(): boolean {
    return this.#isElsewhere || this.connection.inTransaction;
  }

  /** Leaves an empty log, unless a connection reads it for long. */
  emptyLog(): Promise<void> {
    return this.runBetweenTransactions(() => this.#log.empty());
  }

  /** Refuses further transactions and waits for those that came before. Call it once. */
  async drain(): Promise<void> {
    await this.#admission.close();
    await this.#atWork;
  }

  /**
   * Closes the file, and first writes the log to the database where no connection reads it. If another SQLite library of this
   * process has the file open, the log stays. Call it last.
   */
  async close(): Promise<void> {
    this.#guard.close();
    if (this.#guard.hasRefused) return this.#leave();
    try {
      await this.#log.close();
    } finally {
      this.connection.close();
    }
  }

  /** The last connection that is closed removes the log, which another library of this process may be writing to. */
  async #leave(): Promise<void> {
    left.add(this.connection);
    await this.#log.closeKeepingLog();
  }

  #refuseLate(): void {
    this.#queue.rejectExpired(this.#isOfHost ? "nested" : "crowded");
    if (this.#atWork !== null) return;
    clearInterval(this.#lateness ?? undefined);
    this.#lateness = null;
  }

  *#workOff(): Step<void> {
    // Callers of the same moment share the commit.
    yield Promise.resolve();
    while (this.#betweenTransactions.length > 0 || !this.#queue.isEmpty) {
      if (this.#betweenTransactions.length > 0) yield this.#letBetween();
      // The running transaction is no longer in the queue, where it would be refused as too late.
      const next = this.#queue.shift();
      if (next === undefined) continue;
      if (next.isLarge) {
        yield this.#elsewhere(() => this.#large(next));
        yield turned();
        continue;
      }
      try {
        yield* this.#begin(() => this.#beginHere(), this.#queue.waitedMs(next));
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
      this.#state = group.isCommitted ? group.leaves : null;
      // Transactions that arrived during the commit join the next group. And without a break a row of groups would let nothing
      // else run: no request, no timer, and no other process.
      yield turned();
      this.#log.onCommit(group.size);
    }
    this.#atWork = null;
  }

  async #elsewhere<T>(transaction: () => Promise<T>): Promise<T> {
    this.#isElsewhere = true;
    try {
      return await transaction();
    } finally {
      this.#isElsewhere = false;
    }
  }

  async #large(next: QueuedTransaction): Promise<void> {
    const thread = this.#thread();
    const stages = {
      fence: this.#fence,
      begin: (attempt: () => Promise<void>) => runStep(this.#begin(attempt, this.#queue.waitedMs(next))),
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

  /** Returns null when no thread can be started. */
  #thread(): TransactionThread | null {
    try {
      return new TransactionThread(this.connection.file, this.#pragmas());
    } catch {
      return null;
    }
  }

  /** Returns the settings of other connections that write for this one. */
  #pragmas(): string[] {
    const own = ["synchronous", "secure_delete"].map((name) => `${name} = ${this.connection.pragma(name)}`);
    return [...own, "foreign_keys = on", "wal_autocheckpoint = 0"];
  }

  /** @param attempt takes the lock before the first read, so that nothing read can have changed when it is written. */
  *#begin(attempt: () => void | Promise<void>, waitedMs: number): Step<void> {
    this.#guard.assertAlone();
    if (this.#log.isEnding) yield this.#log.whenIdle();
    // A task that waits in between may be what lets the holder of the lock release it.
    const begin = () =>
      this.#betweenTransactions.length === 0 ? attempt() : this.#letBetween().then(attempt);
    yield* this.#retry.run(begin, waitedMs);
    this.#log.onTransactionBegin();
  }

  async #letBetween(): Promise<void> {
    for (const task of this.#betweenTransactions.splice(0)) {
      if (this.#log.isEnding) await this.#log.whenIdle();
      // The task may take the lock for writing, which the log takes too.
      this.#log.onTransactionBegin();
      await task();
      this.#log.onTransactionEnd();
    }
  }
}

/** Waits until the event loop has turned, also when nothing has kept it. */
function turned(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
