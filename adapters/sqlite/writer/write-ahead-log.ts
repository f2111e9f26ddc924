import { closeSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { waitForLoopIteration } from "../../../src/concurrency/event-loop.js";
import type { CheckpointMode, Connection, LogPages } from "../connection/connection.js";
import { CheckpointThread } from "./checkpoint-thread.js";

/**
 * After so many pages (16 MB) they are brought into the database, and the log starts over. The next transactions wait for the
 * last of them: with 64 callers that was a fifth of the time where it was done every 1,500 pages.
 */
const STEP = 4_000;
/** From so many pages on (25 MB) small transactions wait until all are brought in. */
const LATE = 6_000;
/** From so many pages on (64 MB) large ones wait until all are brought in. */
const LONG_LOG = 16_000;
/** A log with so many pages belongs to a process that goes on writing. */
const STEADY = 250;
/** In fewer milliseconds nothing can be written that takes long to get to the disk. */
const LONG_TIME = 10;
/** From so many changed rows on a transaction can have written to the log before its commit. */
const MANY_ROWS = 1_000;
/** Attempts to truncate a log that still has readers, and the pause between them. */
const EMPTYING_TRIES = 40;
const EMPTYING_PAUSE = 25;
/** The log is checked after about so many pages, but after so many transactions at most. */
const UNSEEN_PAGES = 250;
const UNSEEN = 32;
/**
 * The log file is given so many bytes at once, which it keeps when it starts over. A commit into a file that grows takes
 * twice the time: the file system writes down each new length.
 */
const PIECE = 8 * 1024 * 1024;
/** Small transactions don't make it longer than so many bytes. */
const LONGEST = 3 * PIECE;
/** A page of the log, with its header, and what may come before somebody looks again, in bytes. */
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
  /** The last checkpoint left so many pages, since they are still read or newer than it. */
  #left = 0;
  #aside: Promise<void> | null = null;
  #isOpen = false;
  /** Called when the transaction that is open has ended. */
  #onEnd: () => void = () => {};

  /** @param connection the one that writes. From now on it makes no checkpoint by itself. */
  constructor(private readonly connection: Connection) {
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

  /** Waits for the checkpoint that runs, if one does, and for those that follow it at once. To be called while no transaction is open. */
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
   * Before the commit of a large transaction: does beside it what it would do at once, so that little is left to do.
   * @param duration of the transaction, in milliseconds.
   * @throws what the commit would throw, when what is written takes more room than there is.
   */
  beforeCommit(duration: number): Promise<void> | null {
    if (duration < LONG_TIME) return null;
    this.#isDue = true;
    const changes = this.connection.totalChanges();
    const isLarge = changes - this.#changes >= MANY_ROWS;
    this.#changes = changes;
    return isLarge ? this.#prepared() : null;
  }

  /** After a commit of so many transactions, or their end without one: brings what is logged into the database when it is enough. */
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

  /** Leaves an empty log unless somebody else reads it. */
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

  /** Brings all into the database and empties the log, as soon as nobody reads it; gives up after some time. */
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
   * Brings all into the database; then the next commit starts the log over, unless somebody still reads it. A commit during the
   * first round adds pages and holds others back, as a reader does: a second round brings them in while nobody writes, in this
   * process or another.
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
      // Then the commit does it, and throws what is wrong.
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
 * Puts zeros behind the pages of a log whose file is about to be full. SQLite's reading of a log ends at them, and it writes
 * over them. The lock for writing keeps other processes from appending meanwhile.
 * @param path of the log of the connection's file.
 * @param connection one without an open transaction.
 * @param pages how many the log has.
 * @returns true when the file has grown; false when it is long enough, another process writes, or the disk is full.
 */
function lengthened(path: string, connection: Connection, pages: number): boolean {
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
