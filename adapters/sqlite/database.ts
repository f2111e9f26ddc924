import type { TransactionOptions } from "../../src/storage.js";
import { type Migration, migrate } from "../kysely/migrations.js";
import type { ReadSession, Session, SqlDatabase } from "../kysely/session.js";
import { BusyRetry } from "./busy.js";
import { Connection } from "./connection.js";
import { sqliteDialect } from "./dialect.js";
import { Reader } from "./reader.js";
import { Readers } from "./readers.js";
import { assertTrusted } from "./version.js";
import { Writer } from "./writer.js";

/** What a commit survives: `FULL` a power failure too, `NORMAL` a crash of the process. */
export type Synchronous = "FULL" | "NORMAL";

/** A database file, with one connection that writes and some that only read. */
export class SqliteDatabase implements SqlDatabase {
  readonly session: ReadSession;
  #closing: Promise<void> | null = null;

  private constructor(
    private readonly writer: Writer,
    private readonly readers: Readers,
    /** What opening the file did to its tables. */
    readonly migration: Migration,
  ) {
    this.session = readers.session;
  }

  /**
   * Opens the file, makes it when it is missing, and brings its tables to this release.
   * @throws when it can't be opened or is of a later release; `storage_unavailable` when it stays busy.
   */
  static async open(file: string, synchronous: Synchronous): Promise<SqliteDatabase> {
    const writer = await openWriter(file, synchronous);
    try {
      const migration = await writer.transaction((session) => migrate(sqliteDialect, session));
      writer.checkForeignKeys();
      const readers = new Readers(await openReader(file), () => openReader(file));
      return new SqliteDatabase(writer, readers, migration);
    } catch (error) {
      await writer.drain();
      await writer.close();
      throw error;
    }
  }

  snapshot<T>(work: (session: ReadSession) => Promise<T>): Promise<T> {
    return this.readers.snapshot(work);
  }

  transaction<T>(work: (session: Session) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.writer.transaction(work, options);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([this.writer.drain(), this.readers.close()]);
    await this.writer.close();
  }
}

async function openWriter(file: string, synchronous: Synchronous): Promise<Writer> {
  return opened(file, (connection) => {
    connection.pragma(`synchronous = ${synchronous}`);
    // A migration may replace a table that others refer to.
    connection.pragma("foreign_keys = off");
    return new Writer(connection);
  });
}

async function openReader(file: string): Promise<Reader> {
  return opened(file, (connection) => {
    connection.pragma("query_only = on");
    return new Reader(connection);
  });
}

/** Opens a connection for what `use` makes of it. */
async function opened<T>(file: string, use: (connection: Connection) => T): Promise<T> {
  const connection = new Connection(file);
  try {
    await new BusyRetry().run(() => logAhead(connection, file));
    return use(connection);
  } catch (error) {
    connection.close();
    throw error;
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
