import { closeSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { waitForLoopIteration } from "../../../../src/base/concurrency/event-loop.js";
import type { CheckpointMode, LogPages, SqliteConnection } from "../connection/connection.js";
import { CheckpointThread } from "./checkpoint-thread.js";

/**
 * Number of pages (16 MB) after which the log is written to the database and starts over. The next transactions wait for the last
 * of these pages. With a checkpoint every 1,500 pages, 64 callers spent a fifth of the time waiting.
 */
const CHECKPOINT_PAGES = 4_000;
/** Number of pages (25 MB) from which small transactions wait until the whole log is written to the database. */
const SMALL_TRANSACTION_WAIT_PAGES = 6_000;
/** Number of pages (64 MB) from which large transactions wait until the whole log is written to the database. */
const LARGE_TRANSACTION_WAIT_PAGES = 16_000;
/** Number of log pages from which the process is assumed to keep writing. */
const STEADY_WRITING_PAGES = 250;
/** Minimum duration, in milliseconds, of a transaction whose data may take long to reach the disk. */
const LONG_TRANSACTION_MS = 10;
/** Number of changed rows from which a transaction may have written to the log before its commit. */
const LARGE_TRANSACTION_ROWS = 1_000;
/** Number of attempts to truncate a log that still has readers, and the pause between attempts in milliseconds. */
const MAX_TRUNCATE_ATTEMPTS = 40;
const TRUNCATE_RETRY_DELAY_MS = 25;
/** The log is checked after about this many pages, or at the latest after this many transactions. */
const CHECK_INTERVAL_PAGES = 250;
const MAX_UNCHECKED_TRANSACTIONS = 32;
/**
 * Increment, in bytes, by which the log file grows. The file keeps its size when the log starts over. A commit that extends the
 * file takes twice as long, because the file system records each new length.
 */
const FILE_GROWTH_BYTES = 8 * 1024 * 1024;
/** Maximum size to which small transactions extend the file, in bytes. */
const MAX_PREALLOCATED_BYTES = 3 * FILE_GROWTH_BYTES;
/** Size of a log page with its header, and space reserved for pages written before the next check, in bytes. */
const LOG_PAGE_BYTES = 4_120;
const RESERVED_BYTES = 2 * 1024 * 1024;

/**
 * Manages the write-ahead log and the checkpoints that move its pages to the database. Commits and checkpoints both wait for the
 * disk, so anything that can take a long time runs off the event loop.
 */
export class WriteAheadLog {
  readonly #path: string;
  readonly #thread: CheckpointThread;
  readonly #isSynced: boolean;
  #isDraining = false;
  #isClosing = false;
  #changes = 0;
  /**
   * Number of transactions since the log's length was last checked. When it reaches `#maxUncheckedTransactions`, the length is checked again.
   */
  #uncheckedTransactions = 0;
  #maxUncheckedTransactions = MAX_UNCHECKED_TRANSACTIONS;
  #isCheckDue = false;
  /** Number of pages in the log when its length was last checked. */
  #lastCheckedPages = 0;
  /**
   * Number of pages that the last checkpoint left in the log, because the pages were newer than the checkpoint or still being
   * read.
   */
  #remainingPages = 0;
  #runningCheckpoint: Promise<void> | null = null;
  #isTransactionOpen = false;
  /** Wakes the checkpoint that is waiting for the open transaction to end. */
  #resolveTransactionEnd: () => void = () => {};

  /** @param connection the connection used for writing. Its automatic checkpoints are turned off. */
  constructor(private readonly connection: SqliteConnection) {
    const { file } = connection;
    this.#path = `${file}-wal`;
    this.#thread = new CheckpointThread(file);
    this.#isSynced = connection.pragma("synchronous") === 2;
    connection.pragma("wal_autocheckpoint = 0");
  }

  /** Whether new transactions should wait for {@link whenIdle} so that the log can be restarted from its beginning. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /**
   * Waits for the running checkpoint, if any, and any checkpoints that immediately follow it. Call it while no transaction is open.
   */
  async whenIdle(): Promise<void> {
    this.onTransactionEnd();
    while (this.#runningCheckpoint !== null) await this.#runningCheckpoint;
  }

  /** Records that a transaction has begun. Call it after a transaction begins on any connection in this process. */
  onTransactionBegin(): void {
    this.#isTransactionOpen = true;
  }

  /** Records that the transaction has ended. {@link onCommit} and {@link whenIdle} call this too. */
  onTransactionEnd(): void {
    this.#isTransactionOpen = false;
    this.#resolveTransactionEnd();
  }

  /**
   * Prepares a commit. Does most of the commit's work off the event loop if the transaction is large.
   * @param duration how long the transaction took, in milliseconds.
   * @returns a promise to wait for before committing, or `null` if there is nothing to wait for.
   * @throws the disk-full error that the commit would otherwise throw.
   */
  beforeCommit(duration: number): Promise<void> | null {
    if (duration < LONG_TRANSACTION_MS) return null;
    this.#isCheckDue = true;
    const changes = this.connection.totalChanges();
    const isLarge = changes - this.#changes >= LARGE_TRANSACTION_ROWS;
    this.#changes = changes;
    return isLarge ? this.#prepareCommit() : null;
  }

  /**
   * Records that the given number of transactions have been committed or rolled back. Starts writing the log to the database if the
   * log is large enough.
   */
  onCommit(transactions = 1): void {
    this.onTransactionEnd();
    this.#uncheckedTransactions += transactions;
    if (this.#isCheckDue || this.#uncheckedTransactions >= this.#maxUncheckedTransactions) this.#checkpoint();
  }

  /** Like {@link onCommit}, for a transaction that ran in a thread. Checks the log's length immediately. */
  onLargeCommit(): void {
    this.#isCheckDue = true;
    this.onCommit();
  }

  /** Stops managing the log and empties it, unless another connection is reading it. */
  async close(): Promise<void> {
    this.#remainingPages = 0;
    this.#isClosing = true;
    this.#checkpoint();
    await this.closeKeepingLog();
    this.#attempt("truncate");
  }

  /** Waits for the running checkpoint and ends the checkpoint thread, without emptying the log. */
  async closeKeepingLog(): Promise<void> {
    await this.whenIdle();
    await this.#thread.close();
  }

  /**
   * Writes the whole log to the database, and empties the log as soon as no connection is reading it. Gives up after about a
   * second.
   */
  async empty(): Promise<void> {
    await this.whenIdle();
    for (let tries = 0; tries < MAX_TRUNCATE_ATTEMPTS; tries += 1) {
      if (this.#tryTruncate()) return;
      await new Promise((resolve) => setTimeout(resolve, TRUNCATE_RETRY_DELAY_MS));
    }
  }

  #tryTruncate(): boolean {
    try {
      return this.connection.checkpoint("truncate").busy === 0;
    } catch {
      return false;
    }
  }

  #checkpoint(): void {
    const { log, checkpointed } = this.#attempt("noop");
    this.#scheduleNextCheck(log);
    const pendingPages = log - checkpointed;
    this.#remainingPages = Math.min(this.#remainingPages, pendingPages);
    this.#isDraining ||=
      this.#runningCheckpoint !== null &&
      log >= (this.#areTransactionsSmall ? SMALL_TRANSACTION_WAIT_PAGES : LARGE_TRANSACTION_WAIT_PAGES);
    if (this.#runningCheckpoint !== null) return;
    if (pendingPages >= this.#remainingPages + CHECKPOINT_PAGES) this.#trackCheckpoint(this.#emptyLog(log));
    else if (log >= STEADY_WRITING_PAGES && !this.#isClosing && lengthen(this.#path, this.connection, log)) {
      this.#trackCheckpoint(this.#syncToDisk());
    }
  }

  /** Whether the transactions before the last check wrote only a few pages each. */
  get #areTransactionsSmall(): boolean {
    return this.#maxUncheckedTransactions > 1;
  }

  /**
   * Estimates how many transactions can run before the log's length must be checked again, based on how much the previous
   * transactions wrote.
   */
  #scheduleNextCheck(log: number): void {
    const pages = log < this.#lastCheckedPages ? log : log - this.#lastCheckedPages;
    this.#maxUncheckedTransactions = Math.min(
      MAX_UNCHECKED_TRANSACTIONS,
      Math.ceil((CHECK_INTERVAL_PAGES * this.#uncheckedTransactions) / Math.max(1, pages)),
    );
    this.#lastCheckedPages = log;
    this.#uncheckedTransactions = 0;
    this.#isCheckDue = false;
  }

  #trackCheckpoint(checkpoint: Promise<void>): void {
    this.#runningCheckpoint = checkpoint.finally(() => {
      this.#runningCheckpoint = null;
      this.#isDraining = false;
      // There may be more pages by now. An open transaction hides them until its commit.
      this.#isCheckDue = true;
      if (!this.connection.inTransaction) this.#checkpoint();
    });
  }

  /**
   * Writes the whole log to the database, so that the next commit can overwrite the log from its beginning unless a connection is
   * still reading it. If transactions commit during the first round, a second round writes their pages while no connection in any
   * process can write.
   */
  async #emptyLog(pages: number): Promise<void> {
    this.#isDraining = pages >= LARGE_TRANSACTION_WAIT_PAGES;
    await this.#checkpointOnThread();
    if (!this.#areTransactionsSmall && !this.#isDraining) return;
    this.#isDraining = true;
    if (this.#isTransactionOpen) await this.#waitForTransactionEnd();
    await this.#checkpointOnThread({ isAlone: true });
  }

  #waitForTransactionEnd(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolveTransactionEnd = resolve;
    });
  }

  /** Syncs the log to disk off the event loop. Otherwise, the next commit would block the event loop while waiting for the disk. */
  async #syncToDisk(): Promise<void> {
    this.#isDraining = true;
    if (this.#isSynced) await this.#sync();
  }

  async #prepareCommit(): Promise<void> {
    await waitForLoopIteration();
    // A savepoint makes the word index write its pending rows now. They are about half of the commit's work.
    this.connection.execute("savepoint prepared");
    this.connection.execute("release prepared");
    if (this.#isSynced) await this.#sync();
  }

  async #sync(): Promise<void> {
    try {
      const log = await open(this.#path, "r+");
      await log.datasync().finally(() => log.close());
    } catch {
      // The commit will sync the log instead, and throw the error.
    }
  }

  async #checkpointOnThread({ isAlone = false } = {}): Promise<void> {
    try {
      this.#remainingPages = await this.#thread.run(isAlone);
    } catch {
      // No thread is available.
      this.#checkpointHere();
    }
  }

  #checkpointHere(): void {
    const { log, checkpointed } = this.#attempt("passive");
    this.#remainingPages = log - checkpointed;
  }

  #attempt(mode: CheckpointMode): LogPages {
    try {
      return this.connection.checkpoint(mode);
    } catch {
      // Everything is committed, and stays in the log until a later checkpoint succeeds.
      return { busy: 1, log: 0, checkpointed: 0 };
    }
  }
}

/**
 * Appends zeros to a log file that is almost full. SQLite stops reading the log at the zeros and overwrites them later. The write
 * lock keeps other processes from appending in the meantime.
 * @param path the log's path.
 * @param connection a connection without an open transaction.
 * @param pages the number of pages in the log.
 * @returns true if the file has grown, or false if it is long enough, another process is writing, or the disk is full.
 */
function lengthen(path: string, connection: SqliteConnection, pages: number): boolean {
  const targetSize = Math.min(
    MAX_PREALLOCATED_BYTES,
    Math.ceil((pages * LOG_PAGE_BYTES + RESERVED_BYTES) / FILE_GROWTH_BYTES) * FILE_GROWTH_BYTES,
  );
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? targetSize;
  if (size >= targetSize) return false;
  try {
    connection.execute("begin immediate");
  } catch {
    return false;
  }
  try {
    return growFile(path, targetSize);
  } catch {
    return false;
  } finally {
    connection.execute("rollback");
  }
}

function growFile(path: string, targetSize: number): boolean {
  const log = openSync(path, "r+");
  const { size } = fstatSync(log);
  try {
    if (size >= targetSize) return false;
    const zeros = Buffer.alloc(targetSize - size);
    for (let writtenBytes = 0; writtenBytes < zeros.length; ) {
      writtenBytes += writeSync(log, zeros, writtenBytes, zeros.length - writtenBytes, size + writtenBytes);
    }
    return true;
  } catch (error) {
    // The disk is full, so release the space again.
    ftruncateSync(log, size);
    throw error;
  } finally {
    // SQLite holds no locks on the log, so closing this descriptor releases none.
    closeSync(log);
  }
}
