import { type Migration, migrate } from "../kysely/migrations.js";
import type { ReadSession, Session, SqlDatabase } from "../kysely/session.js";
import { BusyRetry } from "./busy.js";
import { Connection } from "./connection.js";
import { sqliteDialect } from "./dialect.js";
import { Reader } from "./reader.js";
import { assertTrusted } from "./version.js";
import { Writer } from "./writer.js";

/** What a commit survives: `FULL` a power failure too, `NORMAL` a crash of the process. */
export type Synchronous = "FULL" | "NORMAL";

/** A database file, with one connection that writes and one that only reads. */
export class SqliteDatabase implements SqlDatabase {
  readonly session: ReadSession;
  readonly #writer: Writer;
  readonly #reader: Reader;
  #closing: Promise<void> | null = null;

  private constructor(
    private readonly writing: Connection,
    private readonly reading: Connection,
    /** What opening the file did to its tables. */
    readonly migration: Migration,
  ) {
    this.#writer = new Writer(writing);
    this.#reader = new Reader(reading);
    this.session = this.#reader.session;
  }

  /**
   * Opens the file, makes it when it is missing, and brings its tables to this release.
   * @throws when it can't be opened or is of a later release; `storage_unavailable` when it stays busy.
   */
  static async open(file: string, synchronous: Synchronous): Promise<SqliteDatabase> {
    const opened: Connection[] = [];
    const open = async () => {
      const connection = new Connection(file);
      opened.push(connection);
      await new BusyRetry().run(() => logAhead(connection, file));
      return connection;
    };
    try {
      const writing = await open();
      writing.pragma(`synchronous = ${synchronous}`);
      writing.pragma("foreign_keys = on");
      const migration = await new Writer(writing).transaction((session) => migrate(sqliteDialect, session));
      const reading = await open();
      reading.pragma("query_only = on");
      return new SqliteDatabase(writing, reading, migration);
    } catch (error) {
      for (const connection of opened) connection.close();
      throw error;
    }
  }

  snapshot<T>(work: (session: ReadSession) => Promise<T>): Promise<T> {
    return this.#reader.snapshot(work);
  }

  transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#writer.transaction(work);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#reader.close()]);
    this.reading.close();
    try {
      this.writing.pragma("wal_checkpoint(truncate)");
    } finally {
      this.writing.close();
    }
  }
}

/**
 * Switches the file to a write-ahead log, which lets readers and a writer work side by side. Until that is done even
 * reading finds the file locked when another process is at it.
 */
function logAhead(connection: Connection, file: string): void {
  assertTrusted(connection.version);
  const mode = connection.pragma("journal_mode = wal");
  if (mode !== "wal") throw new Error(`${file} can't have a write-ahead log: it keeps to "${mode}"`);
}
