import { closeSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { waitForLoopIteration } from "../../../src/concurrency/event-loop.js";
import type { CheckpointMode, LogPages, SqliteConnection } from "../connection/connection.js";
import { CheckpointThread } from "./checkpoint-thread.js";

/**
 * After this many pages (16 MB) they are written to the database, and the log starts over. The next transactions wait for the last
 * of them: with 64 callers that took a fifth of the time when it was done every 1,500 pages.
 */
const STEP = 4_000;
/** From this many pages on (25 MB) small transactions wait until all are written to the database. */
const LATE = 6_000;
/** From this many pages on (64 MB) large transactions wait until all are written to the database. */
const LONG_LOG = 16_000;
/** A log with this many pages belongs to a process that keeps writing. */
const STEADY = 250;
/** In fewer milliseconds nothing can be written that takes long to get to the disk. */
const LONG_TIME = 10;
/** From this many changed rows on, a transaction may have written to the log before its commit. */
const MANY_ROWS = 1_000;
/** Attempts to truncate a log that still has readers, and the pause between them. */
const EMPTYING_TRIES = 40;
const EMPTYING_PAUSE = 25;
/** The log is checked after about this many pages, but no later than after this many transactions. */
const UNSEEN_PAGES = 250;
const UNSEEN = 32;
/**
 * The log file grows by this many bytes and keeps them when it starts over. A commit into a growing file takes twice the time,
 * because the file system records each new length.
 */
const PIECE = 8 * 1024 * 1024;
/** Small transactions don't extend it beyond this many bytes. */
const LONGEST = 3 * PIECE;
/** A page of the log with its header, and the pages that may come before the next check, in bytes. */
const PAGE = 4_120;
const COMING = 2 * 1024 * 1024;

/**
 * The log that commits are written to, and its pages' way into the database. Both wait for the disk; what may take
 * long does so beside the event loop.
 */
export class WriteAheadLog {
  readonly #path: string;
  readonly #thread: CheckpointThread;
  readonly #isSynced: boolean;
  #isEnding = false;
  #isClosing = false;
  #changes = 0;
  /** How many transactions came since the last check, and how many may. */
  #unseen = 0;
  #mostUnseen = UNSEEN;
  #isDue = false;
  /** How many pages the log had then. */
  #seen = 0;
  /** The pages that the last checkpoint left, because they are still read or newer. */
  #left = 0;
  #aside: Promise<void> | null = null;
  #isOpen = false;
  /** Called when the transaction that is open has ended. */
  #onEnd: () => void = () => {};

  /** @param connection the one that writes. From now on it makes no checkpoint by itself. */
  constructor(private readonly connection: SqliteConnection) {
    const { file } = connection;
    this.#path = `${file}-wal`;
    this.#thread = new CheckpointThread(file);
    this.#isSynced = connection.pragma("synchronous") === 2;
    connection.pragma("wal_autocheckpoint = 0");
  }

  /** True when nothing should be added before {@link whenIdle}: only then can the log start over. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Waits for the running checkpoint and its immediate successors, if any. Call it while no transaction is open. */
  async whenIdle(): Promise<void> {
    this.onTransactionEnd();
    while (this.#aside !== null) await this.#aside;
  }

  /** After the begin of a transaction, on this connection or another of the process. */
  onTransactionBegin(): void {
    this.#isOpen = true;
  }

  /** After its end. {@link onCommit} and {@link whenIdle} do that too. */
  onTransactionEnd(): void {
    this.#isOpen = false;
    this.#onEnd();
  }

  /**
   * Runs before the commit of a large transaction: does most of the commit's work in a thread, so that little is left.
   * @param duration of the transaction, in milliseconds.
   * @throws what the commit would throw if the disk is full.
   */
  beforeCommit(duration: number): Promise<void> | null {
    if (duration < LONG_TIME) return null;
    this.#isDue = true;
    const changes = this.connection.totalChanges();
    const isLarge = changes - this.#changes >= MANY_ROWS;
    this.#changes = changes;
    return isLarge ? this.#prepared() : null;
  }

  /** Call it after a commit or rollback of some transactions. Writes the log to the database when there is enough in it. */
  onCommit(transactions = 1): void {
    this.onTransactionEnd();
    this.#unseen += transactions;
    if (this.#isDue || this.#unseen >= this.#mostUnseen) this.#checkpoint();
  }

  /** After the commit of a large transaction. */
  onLargeCommit(): void {
    this.#isDue = true;
    this.onCommit();
  }

  /** Leaves an empty log, unless another connection reads it. */
  async close(): Promise<void> {
    this.#left = 0;
    this.#isClosing = true;
    this.#checkpoint();
    await this.closeKeepingLog();
    this.#attempt("truncate");
  }

  /** Leaves the log as it is. */
  async closeKeepingLog(): Promise<void> {
    await this.whenIdle();
    await this.#thread.close();
  }

  /** Writes everything to the database and empties the log as soon as no connection reads it; gives up after some time. */
  async empty(): Promise<void> {
    await this.whenIdle();
    for (let tries = 0; tries < EMPTYING_TRIES; tries += 1) {
      if (this.#isEmptied()) return;
      await new Promise((resolve) => setTimeout(resolve, EMPTYING_PAUSE));
    }
  }

  #isEmptied(): boolean {
    try {
      return this.connection.checkpoint("truncate").busy === 0;
    } catch {
      return false;
    }
  }

  #checkpoint(): void {
    const { log, checkpointed } = this.#attempt("noop");
    this.#expect(log);
    const waiting = log - checkpointed;
    this.#left = Math.min(this.#left, waiting);
    this.#isEnding ||= this.#aside !== null && log >= (this.#isSmall ? LATE : LONG_LOG);
    if (this.#aside !== null) return;
    if (waiting >= this.#left + STEP) this.#run(this.#emptied(log));
    else if (log >= STEADY && !this.#isClosing && lengthened(this.#path, this.connection, log)) {
      this.#run(this.#settledOnDisk());
    }
  }

  /** Whether the transactions since the check before wrote little. */
  get #isSmall(): boolean {
    return this.#mostUnseen > 1;
  }

  /** Tells from what the last transactions took when the next check is due. */
  #expect(log: number): void {
    const pages = log < this.#seen ? log : log - this.#seen;
    this.#mostUnseen = Math.min(UNSEEN, Math.ceil((UNSEEN_PAGES * this.#unseen) / Math.max(1, pages)));
    this.#seen = log;
    this.#unseen = 0;
    this.#isDue = false;
  }

  #run(aside: Promise<void>): void {
    this.#aside = aside.finally(() => {
      this.#aside = null;
      this.#isEnding = false;
      // There may be more by now. An open transaction hides that; its commit will show it.
      this.#isDue = true;
      if (!this.connection.inTransaction) this.#checkpoint();
    });
  }

  /**
   * Writes everything to the database; then the next commit starts the log over, unless a connection still reads it. A commit
   * during the first round adds pages and holds others back, as a reader does: a second round writes them while no connection
   * writes, in this process or another.
   */
  async #emptied(pages: number): Promise<void> {
    this.#isEnding = pages >= LONG_LOG;
    await this.#beside();
    if (!this.#isSmall && !this.#isEnding) return;
    this.#isEnding = true;
    if (this.#isOpen) await this.#endOfTransaction();
    await this.#beside({ isAlone: true });
  }

  #endOfTransaction(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEnd = resolve;
    });
  }

  /** A commit would wait for the disk on the event loop. */
  async #settledOnDisk(): Promise<void> {
    this.#isEnding = true;
    if (this.#isSynced) await this.#sync();
  }

  async #prepared(): Promise<void> {
    await waitForLoopIteration();
    // Has the index of words write what it holds back for the commit: about half of what that takes.
    this.connection.execute("savepoint prepared");
    this.connection.execute("release prepared");
    if (this.#isSynced) await this.#sync();
  }

  async #sync(): Promise<void> {
    try {
      const log = await open(this.#path, "r+");
      await log.datasync().finally(() => log.close());
    } catch {
      // Then the commit does it, and throws the error.
    }
  }

  async #beside({ isAlone = false } = {}): Promise<void> {
    try {
      this.#left = await this.#thread.run(isAlone);
    } catch {
      // No thread is to be had.
      this.#here();
    }
  }

  #here(): void {
    const { log, checkpointed } = this.#attempt("passive");
    this.#left = log - checkpointed;
  }

  #attempt(mode: CheckpointMode): LogPages {
    try {
      return this.connection.checkpoint(mode);
    } catch {
      // All is committed, and stays in the log until a later checkpoint can get it out.
      return { busy: 1, log: 0, checkpointed: 0 };
    }
  }
}

/**
 * Writes zeros after the pages of a log whose file is about to be full. SQLite stops reading a log there, and overwrites them. The
 * write lock keeps other processes from appending in the meantime.
 * @param path of the log of the connection's file.
 * @param connection one without an open transaction.
 * @param pages of the log.
 * @returns true if the file has grown; false if it is long enough, another process writes, or the disk is full.
 */
function lengthened(path: string, connection: SqliteConnection, pages: number): boolean {
  const wanted = Math.min(LONGEST, Math.ceil((pages * PAGE + COMING) / PIECE) * PIECE);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? wanted;
  if (size >= wanted) return false;
  try {
    connection.execute("begin immediate");
  } catch {
    return false;
  }
  try {
    return hasGrown(path, wanted);
  } catch {
    return false;
  } finally {
    connection.execute("rollback");
  }
}

function hasGrown(path: string, wanted: number): boolean {
  const log = openSync(path, "r+");
  const { size } = fstatSync(log);
  try {
    if (size >= wanted) return false;
    const zeros = Buffer.alloc(wanted - size);
    for (let written = 0; written < zeros.length; ) {
      written += writeSync(log, zeros, written, zeros.length - written, size + written);
    }
    return true;
  } catch (error) {
    // A full disk: what was taken is given back.
    ftruncateSync(log, size);
    throw error;
  } finally {
    // SQLite has no locks on the log, so to close it releases none.
    closeSync(log);
  }
}
