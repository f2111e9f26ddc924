import { closeSync, openSync } from "node:fs";
import type Database from "better-sqlite3";
import { CompiledQuery } from "kysely";
import { awaitInStep, type Step } from "../../../../src/base/concurrency/step.js";
import { unavailable } from "../../../../src/base/errors.js";
import type { Fence } from "../../kysely/session/admission.js";
import type { Executor } from "../../kysely/session/session.js";
import { openFile } from "../driver/driver.js";

/**
 * Maximum number of cached prepared statements. It exceeds the adapter's number of statements, so that each is usually prepared
 * only once.
 */
const MAX_CACHED_STATEMENTS = 256;

/** A connection to a database file. All of its methods are synchronous. */
export class SqliteConnection implements Executor {
  readonly isBlocking = true;
  readonly toPortError = toPortError;
  readonly changeEach = (statements: readonly CompiledQuery<unknown>[]): number[] =>
    statements.map((statement) => this.change(statement));
  readonly #database: Database.Database;
  readonly #statements = new Map<string, CachedStatement>();
  /** The prepared statement that reads the data version, cached separately because it runs very often. */
  #dataVersion: Database.Statement<[], number> | null = null;
  #changes = 0;

  /**
   * Opens the file.
   * @param mayCreate whether to create the file if it is missing.
   * @throws if the file can't be opened.
   */
  constructor(file: string, mayCreate: boolean) {
    if (mayCreate) createPrivateFile(file);
    // With no timeout, SQLite never waits for a lock. Waiting would block the whole process.
    this.#database = openFile(file, { timeout: 0, fileMustExist: !mayCreate });
  }

  /** The file's absolute path. */
  get file(): string {
    const [row] = this.#readRows<{ file: string }>("pragma database_list", []);
    return row?.file ?? "";
  }

  /** The version of the SQLite library that the connection uses, such as `3.50.4`. */
  get version(): string {
    const [row] = this.#readRows<{ version: string }>("select sqlite_version() as version", []);
    return row?.version ?? "unknown";
  }

  /**
   * Runs a query, or any other statement that returns rows.
   * @returns all rows.
   */
  all<Row>({ sql, parameters }: CompiledQuery<Row>): Row[] {
    return this.#readRows<Row>(sql, parameters);
  }

  /** Runs a statement and returns the number of rows that it changed. */
  change({ sql, parameters }: CompiledQuery<unknown>): number {
    const { statement } = this.#prepareCached(sql);
    this.#changes += 1;
    const { changes } = statement.run(parameters);
    if (changes === 0) this.#changes -= 1;
    return changes;
  }

  /** Runs a statement that has no parameters and returns no rows. */
  execute(sql: string): void {
    this.#prepareCached(sql).statement.run();
  }

  /** Returns a number that changes whenever another connection commits, in this process or any other. */
  dataVersion(): number {
    this.#dataVersion ??= this.#database.prepare<[], number>("pragma data_version").pluck();
    return this.#dataVersion.get() ?? 0;
  }

  /** The number of statements that could have written data on this connection, including failed ones. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * Returns the number of rows that this connection has changed since it was opened, including changes made by cascades and
   * triggers.
   */
  totalChanges(): number {
    const [row] = this.#readRows<{ changes: number }>("select total_changes() as changes", []);
    return row?.changes ?? 0;
  }

  /**
   * Runs a checkpoint, which moves pages from the write-ahead log to the database. `passive` writes as many pages as it can without
   * waiting for readers, `truncate` writes all pages and empties the log, and `noop` writes none.
   * @returns the number of pages in the log, and how many of them have been written to the database.
   */
  checkpoint(mode: CheckpointMode): LogPages {
    const [row] = this.#readRows<LogPages>(`pragma wal_checkpoint(${mode})`, []);
    return row ?? { busy: 1, log: 0, checkpointed: 0 };
  }

  /** Runs a pragma and returns its value, or `undefined` if it has none. */
  pragma(text: string): unknown {
    return this.#database.pragma(text, { simple: true });
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #readRows<Row>(sql: string, parameters: readonly unknown[]): Row[] {
    const { statement, names } = this.#prepareCached(sql);
    if (!statement.readonly) this.#changes += 1;
    const rows = statement.all(parameters) as unknown[][];
    // The type of a query's rows is declared by the query and can't be checked at run time.
    return rows.map((values) => buildRow(names, values)) as Row[];
  }

  #prepareCached(sql: string): CachedStatement {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.#database.prepare(sql);
    // It is faster to read rows as arrays and add the column names here than to let the driver build objects.
    const cachedStatement = statement.reader
      ? { statement: statement.raw(), names: statement.columns().map(({ name }) => name) }
      : { statement, names: [] };
    for (const oldest of this.#statements.keys()) {
      if (this.#statements.size < MAX_CACHED_STATEMENTS) break;
      this.#statements.delete(oldest);
    }
    this.#statements.set(sql, cachedStatement);
    return cachedStatement;
  }
}

export type CheckpointMode = "noop" | "passive" | "truncate";

/** Result of a checkpoint: the number of pages in the write-ahead log, and how many of them have been written to the database. */
export interface LogPages {
  readonly log: number;
  readonly checkpointed: number;
  /** 1 if another connection blocked the checkpoint, otherwise 0. */
  readonly busy: number;
}

/** A prepared statement and the names of its columns. */
interface CachedStatement {
  readonly statement: Database.Statement;
  readonly names: readonly string[];
}

/** Creates an empty file that only its owner may read. SQLite gives its other files the same permissions. */
function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch {
    // The file already exists, or it can't be created, in which case SQLite reports a better error.
  }
}

/** Builds a row object from column names and the corresponding values. */
export function buildRow(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index += 1) row[names[index] ?? ""] = values[index];
  return row;
}

/** A query for the tables' schema version: the highest version recorded by a migration, or `null` if no migration is recorded. */
export const tablesVersionQuery: CompiledQuery<{ readonly version: number | null }> = CompiledQuery.raw(
  "select max(version) as version from loyalty_migrations",
);

/**
 * Checks that the tables' schema version, as seen by one connection, matches this release. The version is reread only if another
 * connection has committed since the last check.
 */
export class TablesCheck {
  #dataVersion: number | null = null;
  #version: number | null = null;

  constructor(
    private readonly connection: SqliteConnection,
    private readonly fence: Fence,
  ) {}

  /** Whether a check has failed on any connection to the file. If so, the version must be checked even before single queries. */
  get shouldCheck(): boolean {
    return this.fence.isBroken;
  }

  /**
   * Checks the schema version that is visible to the current transaction.
   * @returns `true` if no other connection has committed since the previous check.
   * @throws {LoyaltyError} `storage_unavailable` if the tables have another release's schema.
   * @throws any SQLite error.
   */
  assertCurrent(): boolean {
    const dataVersion = this.connection.dataVersion();
    const isUnchanged = dataVersion === this.#dataVersion;
    if (!isUnchanged) {
      this.#version = this.connection.all(tablesVersionQuery)[0]?.version ?? null;
      this.#dataVersion = dataVersion;
    }
    this.fence.assertCurrent(this.#version);
    return isUnchanged;
  }
}

/**
 * Oldest supported SQLite version. In earlier versions, two processes can damage a database whose write-ahead log was just reset.
 */
const MIN_VERSION = "3.51.3";

/**
 * Checks that the SQLite library isn't so old that it could corrupt data.
 * @throws if the library is too old.
 */
export function assertSupportedVersion(version: string): void {
  if (compareVersions(version, MIN_VERSION) >= 0) return;
  throw new Error(
    `SQLite ${version} is too old; loyalty-kit needs ${MIN_VERSION} or later, which better-sqlite3 12.11 includes`,
  );
}

function compareVersions(a: string, b: string): number {
  const otherParts = b.split(".").map(Number);
  for (const [index, part] of a.split(".").map(Number).entries()) {
    const difference = part - (otherParts[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** How long a call keeps retrying, in milliseconds of running time. */
const BUSY_TIMEOUT_MS = 10_000;
const INITIAL_DELAY_MS = 1;
const MAX_DELAY_MS = 10;

/**
 * Retries operations while the database is busy. SQLite's built-in wait would block the whole process, whereas the pauses between
 * retries delay only the caller. The pauses grow longer and are jittered so that processes don't retry in lockstep.
 */
export class BusyRetry {
  /** The total pause time since the database was last free, in milliseconds. */
  #busyMs = 0;

  /**
   * Calls `attempt` repeatedly until the database is no longer busy.
   * @param waitedMs how long the caller has already waited, in milliseconds. A call gives up only once the caller has waited for 10
   *   s and the database has been busy for 10 s, so time spent in a long queue isn't enough.
   * @returns the result of `attempt`.
   * @throws {LoyaltyError} `storage_unavailable` if the database is still busy when the call gives up.
   * @throws any other error that `attempt` throws.
   */
  *run<T>(attempt: () => T | Promise<T>, waitedMs = 0): Step<T> {
    let totalWaitMs = waitedMs;
    for (let maxPause = INITIAL_DELAY_MS; ; maxPause = Math.min(2 * maxPause, MAX_DELAY_MS)) {
      try {
        const result = yield* awaitInStep(attempt());
        this.#busyMs = 0;
        return result;
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (Math.min(totalWaitMs, this.#busyMs) >= BUSY_TIMEOUT_MS) {
          throw unavailable("locked", error);
        }
      }
      const pause = maxPause * (0.5 + Math.random() / 2);
      yield new Promise((resolve) => setTimeout(resolve, pause));
      totalWaitMs += pause;
      this.#busyMs += pause;
    }
  }
}

/**
 * Returns whether an error means that another connection holds a lock that the statement needs. In that case, retrying might
 * succeed.
 */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_BUSY(_|$)/.test(getErrorCode(error));
}

/**
 * Returns whether an error means that the transaction can no longer write because its snapshot is stale. This happens when another
 * transaction has committed since the transaction's first read.
 */
export function isSnapshotStale(error: unknown): boolean {
  return getErrorCode(error) === "SQLITE_BUSY_SNAPSHOT";
}

/** Returns whether an error means that a statement refers to a table or column that doesn't exist. */
export function isSchemaMismatch(error: unknown): boolean {
  return getErrorCode(error) === "SQLITE_ERROR" && error instanceof Error && /^no such /.test(error.message);
}

/** Returns whether the disk is too full for a change. This may be temporary. */
function isDiskFull(error: unknown): boolean {
  return getErrorCode(error) === "SQLITE_FULL";
}

/** Converts an error to `storage_unavailable` if the database is busy or the disk is full. Returns any other error unchanged. */
export function toPortError(error: unknown): unknown {
  if (isDiskFull(error)) return unavailable("full", error);
  if (isSnapshotStale(error)) return unavailable("raced", error);
  return isBusy(error) ? unavailable("locked", error) : error;
}

/** Returns the error's SQLite code. It doesn't use `instanceof`, because a host's copy of the driver has its own error class. */
function getErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
