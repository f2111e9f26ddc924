import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { runStep, type Step } from "../../../src/base/concurrency/step.js";
import { gauges, type SqliteFileUse } from "../../../src/base/signals.js";
import type {
  ManagedTransaction,
  OpenTransaction,
  SyncTransaction,
} from "../../../src/storage/storage-adapter.js";
import {
  assertMigrated,
  getSchemaVersion,
  type Migration,
  migrate,
} from "../kysely/migrations/migrations.js";
import { Admission, Fence } from "../kysely/session/admission.js";
import { HostedDatabase, SyncHostedDatabase } from "../kysely/session/hosted-database.js";
import type {
  ReadSession,
  Session,
  SharedDatabase,
  SqlDatabase,
  SqlTransactionOptions,
  SyncDatabase,
} from "../kysely/session/session.js";
import { GuardedSession } from "../kysely/session/session.js";
import type { SqlDialect } from "../kysely/sql/dialect.js";
import { assertSupportedVersion, BusyRetry, SqliteConnection } from "./connection/connection.js";
import { sqliteDialect } from "./dialect.js";
import { loadDriver } from "./driver/driver.js";
import { createHostedDialect, createSyncHostedDialect, managedDialect } from "./hosted.js";
import { Reader, Readers } from "./readers/readers.js";
import { ManagedConnection } from "./writer/managed-connection.js";
import { Writer } from "./writer/writer.js";

/**
 * Durability of commits. With `FULL`, a commit survives a power failure. With `NORMAL`, a commit survives a process crash, but
 * might not survive a power failure.
 */
export type Synchronous = "FULL" | "NORMAL";

/** Size to which the write-ahead log is truncated when it starts over, in bytes. */
const LOG_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Size of the writer's page cache in KiB, for pages that change over and over. When an import batch changes more pages, the extra
 * pages are written to the log before the commit, which takes no longer.
 */
const WRITER_CACHE_KIB = 8 * 1024;

/** A database file, opened with one connection for writing and several read-only connections. */
export class SqliteDatabase implements SharedDatabase<Database.Database> {
  readonly session: ReadSession;
  /** Counts running calls in host transactions, so that closing the storage can wait for them. */
  readonly #hostCalls = new Admission();
  /** Counts managed transactions and the calls within them, so that closing the storage can wait for them. */
  readonly #managed = new Admission();
  readonly sync = {
    joining: (host: SyncTransaction): SyncDatabase =>
      new SyncHostedDatabase(host, createSyncHostedDialect(this.writer, this.fence), this.#hostCalls),
    runBetweenTransactions: <T>(task: () => T): Promise<T> =>
      this.#hostCalls.track(() => this.writer.runHostTask(async () => task())),
  };
  readonly #unregister: () => void;
  #closing: Promise<void> | null = null;

  private constructor(
    private readonly writer: Writer,
    private readonly readers: Readers,
    private readonly fence: Fence,
    /** Schema versions before and after the file was opened. */
    readonly migration: Migration,
  ) {
    this.session = readers.session;
    this.#unregister = gauges.sqliteFiles.register(() => readFileUse(writer.file));
  }

  /**
   * Opens the file.
   * @param mayMigrate whether to create a missing file and migrate the tables to this release's schema.
   * @throws if the file can't be opened, or if its tables have a later release's schema.
   * @throws {LoyaltyError} `storage_unavailable` if the file stays busy.
   * @throws {NotMigratedError} if the tables need to be migrated but `mayMigrate` is false.
   */
  static async open(
    file: string,
    synchronous: Synchronous,
    mayMigrate = true,
    dialect = sqliteDialect,
  ): Promise<SqliteDatabase> {
    await loadDriver();
    const version = getSchemaVersion(dialect);
    const writer = await openWriter(file, synchronous, mayMigrate ? null : dialect);
    try {
      writer.checkSoleLibrary();
      const migration = mayMigrate
        ? await writer.transaction((session) => migrate(dialect, session))
        : { from: version, to: version };
      writer.enableForeignKeys();
      const fence = new Fence(version);
      writer.setFence(fence);
      // The absolute path is needed because more readers are opened later, after the process may have changed its working
      // directory.
      const path = writer.file;
      const readers = new Readers(await openReader(path, fence), () => openReader(path, fence));
      return new SqliteDatabase(writer, readers, fence, migration);
    } catch (error) {
      await writer.drain();
      await writer.close();
      throw error;
    }
  }

  snapshot<T>(work: (session: ReadSession) => Step<T>): Promise<T> {
    return this.readers.snapshot(work);
  }

  committedState(): object | null {
    return this.readers.committedState();
  }

  transaction<T>(work: (session: Session) => Step<T>, options?: SqlTransactionOptions): Promise<T> {
    return this.writer.transaction(work, options);
  }

  joining(host: OpenTransaction): SqlDatabase {
    return host instanceof ManagedConnection
      ? new HostedDatabase(host, managedDialect, new Admission())
      : new HostedDatabase(host, createHostedDialect(this.writer, this.fence), this.#hostCalls);
  }

  runManaged<T>(
    work: (tx: ManagedTransaction<Database.Database>) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> {
    return this.#managed.track(() => this.writer.runManaged(work, timeoutMs));
  }

  purge(): Promise<void> {
    return this.writer.emptyLog();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#unregister();
    const gates = [this.#managed.close(), this.#hostCalls.close()];
    await Promise.all([...gates, this.writer.drain(), this.readers.close()]);
    await this.writer.close();
  }
}

function readFileUse(file: string): SqliteFileUse {
  return {
    log: statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    free: getFreeSpace(dirname(file)),
  };
}

/** @returns the free space in bytes; 0 if the folder is gone or its disk no longer answers, since nothing can be written there. */
function getFreeSpace(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** @param requiredDialect the dialect whose tables the file must already have, or `null` if the tables may be created. */
async function openWriter(
  file: string,
  synchronous: Synchronous,
  requiredDialect: SqlDialect | null,
): Promise<Writer> {
  const check =
    requiredDialect && ((connection: SqliteConnection) => assertTables(requiredDialect, connection));
  return prepareConnection(new SqliteConnection(file, requiredDialect === null), check, (connection) => {
    connection.pragma(`synchronous = ${synchronous}`);
    // Truncates the log when it starts over, so that a large transaction's log doesn't stay on disk.
    connection.pragma(`journal_size_limit = ${LOG_SIZE_LIMIT_BYTES}`);
    connection.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
    // Overwritten and deleted data must not remain in the file.
    connection.pragma("secure_delete = on");
    // A migration may replace a table that other tables refer to.
    connection.pragma("foreign_keys = off");
    return new Writer(connection);
  });
}

async function openReader(file: string, fence: Fence): Promise<Reader> {
  return prepareConnection(new SqliteConnection(file, false), null, (connection) => {
    connection.pragma("query_only = on");
    return new Reader(connection, fence);
  });
}

/** Rejects tables from another release before anything in the file is changed. */
async function assertTables(dialect: SqlDialect, connection: SqliteConnection): Promise<void> {
  const session = new GuardedSession(connection);
  await runStep(new BusyRetry().run(() => runStep(assertMigrated(dialect, session))));
}

/** Checks a connection, switches its file to a write-ahead log and passes it to `use`. Closes the connection on failure. */
async function prepareConnection<T>(
  connection: SqliteConnection,
  check: ((connection: SqliteConnection) => Promise<void>) | null,
  use: (connection: SqliteConnection) => T,
): Promise<T> {
  try {
    await check?.(connection);
    await runStep(new BusyRetry().run(() => enableWriteAheadLog(connection)));
    return use(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Switches the file to a write-ahead log, which lets readers and a writer work at the same time. Until the switch is done, even
 * reads can find the file locked by another process that is switching it.
 */
function enableWriteAheadLog(connection: SqliteConnection): void {
  assertSupportedVersion(connection.version);
  const mode = connection.pragma("journal_mode = wal");
  if (mode !== "wal")
    throw new Error(`${connection.file} can't use a write-ahead log: its journal mode stays "${mode}"`);
  // The log is only opened by the first read from the database.
  connection.pragma("schema_version");
}
