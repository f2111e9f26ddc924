import { open } from "node:fs/promises";
import { wholeTurn } from "../../../src/concurrency/event-loop.js";
import type { CheckpointMode, Connection, Logged } from "../connection/connection.js";
import { CheckpointThread } from "./checkpoint-thread.js";

/** SQLite too would bring logged pages into the database after so many: 6 ms in which nothing else would be done. */
const STEP = 1_000;
/** From so many pages on (64 MB) the log has to start over before it grows further. */
const LONG_LOG = 16_000;
/** In fewer milliseconds nothing can be written that takes long to get to the disk. */
const LONG_TIME = 10;
/** From so many changed rows on a transaction can have written to the log before its commit. */
const MANY_ROWS = 1_000;
/** A log that is read is tried to be emptied so often, so many milliseconds apart. */
const EMPTYING_TRIES = 40;
const EMPTYING_PAUSE = 25;
/** The number of commits between two checks of the log. */
const COMMITS = 8;

/**
 * The log that commits are written to, and its pages' way into the database. Both wait for the disk; what may take
 * long does so beside the event loop.
 */
export class WriteAheadLog {
  readonly #path: string;
  readonly #thread: CheckpointThread;
  readonly #isSynced: boolean;
  #isLong = false;
  #changes = 0;
  #unseen = 0;
  /** The last checkpoint left so many pages, since they are still read or newer than it. */
  #left = 0;
  #aside: Promise<void> | null = null;

  /** @param connection the one that writes. From now on it makes no checkpoint by itself. */
  constructor(private readonly connection: Connection) {
    const { file } = connection;
    this.#path = `${file}-wal`;
    this.#thread = new CheckpointThread(file);
    this.#isSynced = connection.pragma("synchronous") === 2;
    connection.pragma("wal_autocheckpoint = 0");
  }

  /** True when nothing should be added before {@link settled}: only then can the log start over. */
  get isLong(): boolean {
    return this.#isLong;
  }

  /** Waits for the checkpoint that runs, if one does, and for those that follow it at once. */
  async settled(): Promise<void> {
    while (this.#aside !== null) await this.#aside;
  }

  /**
   * Before the commit of a large transaction: does beside it what it would do at once, so that little is left to do.
   * @param duration of the transaction, in milliseconds.
   * @throws what the commit would throw, when what is written takes more room than there is.
   */
  prepare(duration: number): Promise<void> | null {
    if (duration < LONG_TIME) return null;
    this.#unseen = COMMITS;
    const changes = this.connection.totalChanges();
    const isLarge = changes - this.#changes >= MANY_ROWS;
    this.#changes = changes;
    return isLarge ? this.#prepared() : null;
  }

  /** After a commit: brings what is logged into the database when there is enough of it. */
  committed(isLarge = false): void {
    this.#unseen += isLarge ? COMMITS : 1;
    if (this.#unseen >= COMMITS) this.#checkpoint();
  }

  /** Leaves an empty log unless somebody else reads it. */
  async close(): Promise<void> {
    this.#left = 0;
    this.#checkpoint();
    await this.leave();
    this.#attempt("truncate");
  }

  /** Leaves the log as it is. */
  async leave(): Promise<void> {
    await this.settled();
    await this.#thread.close();
  }

  /** Brings all into the database and empties the log, as soon as nobody reads it; gives up after some time. */
  async empty(): Promise<void> {
    await this.settled();
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
    this.#unseen = 0;
    const waiting = this.#waiting();
    if (this.#aside !== null || waiting < this.#left + STEP) return;
    this.#aside = this.#beside().finally(() => {
      this.#aside = null;
      // There may be more by now. An open transaction hides that; its commit will show it.
      this.#unseen = COMMITS;
      if (!this.connection.inTransaction) this.#checkpoint();
    });
  }

  /** Counts the pages of the log that are not in the database. */
  #waiting(): number {
    const { log, checkpointed } = this.#attempt("noop");
    this.#isLong = log >= LONG_LOG;
    this.#left = Math.min(this.#left, log - checkpointed);
    return log - checkpointed;
  }

  async #prepared(): Promise<void> {
    await wholeTurn();
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

  async #beside(): Promise<void> {
    try {
      this.#left = await this.#thread.run();
    } catch {
      // No thread is to be had.
      this.#here();
    }
  }

  #here(): void {
    const { log, checkpointed } = this.#attempt("passive");
    this.#left = log - checkpointed;
  }

  #attempt(mode: CheckpointMode): Logged {
    try {
      return this.connection.checkpoint(mode);
    } catch {
      // All is committed, and stays in the log until a later checkpoint can get it out.
      return { busy: 1, log: 0, checkpointed: 0 };
    }
  }
}
