import { closeSync, openSync } from "node:fs";
import type Database from "better-sqlite3";
import { CompiledQuery } from "kysely";
import { awaitInStep, type Step } from "../../../src/concurrency/step.js";
import { unavailable } from "../../../src/errors.js";
import type { Fence } from "../../kysely/session/admission.js";
import type { Executor } from "../../kysely/session/session.js";
import { openFile } from "../driver/driver.js";
import { isBusy, toPortError } from "./errors.js";

/** More than the adapter has statements, so that in practice each is prepared once. */
const STATEMENTS = 256;

/** One connection to a database file. All its calls are synchronous. */
export class SqliteConnection implements Executor {
  readonly isBlocking = true;
  readonly toPortError = toPortError;
  readonly changeEach = (statements: readonly CompiledQuery<unknown>[]): number[] =>
    statements.map((statement) => this.change(statement));
  readonly #database: Database.Database;
  readonly #statements = new Map<string, CachedStatement>();
  /** Held separately because this statement runs very often. */
  #dataVersion: Database.Statement<[], number> | null = null;
  #changes = 0;

  /**
   * @param mayCreate true makes a missing file.
   * @throws if the file can't be opened.
   */
  constructor(file: string, mayCreate: boolean) {
    if (mayCreate) createPrivately(file);
    // Without a timeout SQLite never waits for a lock, which would hold up the whole process.
    this.#database = openFile(file, { timeout: 0, fileMustExist: !mayCreate });
  }

  /** The absolute path of the file. */
  get file(): string {
    const [row] = this.#rows<{ file: string }>("pragma database_list", []);
    return row?.file ?? "";
  }

  /** The version of the SQLite library. */
  get version(): string {
    const [row] = this.#rows<{ version: string }>("select sqlite_version() as version", []);
    return row?.version ?? "unknown";
  }

  /** Returns the rows of a query, or of a statement that returns some. */
  all<Row>({ sql, parameters }: CompiledQuery<Row>): Row[] {
    return this.#rows<Row>(sql, parameters);
  }

  /** Runs a statement and returns how many rows it changed. */
  change({ sql, parameters }: CompiledQuery<unknown>): number {
    const { statement } = this.#kept(sql);
    this.#changes += 1;
    const { changes } = statement.run(parameters);
    if (changes === 0) this.#changes -= 1;
    return changes;
  }

  /** Runs a statement without values and rows. */
  execute(sql: string): void {
    this.#kept(sql).statement.run();
  }

  /** A number that changes when another connection, of this process or another one, has committed. */
  dataVersion(): number {
    this.#dataVersion ??= this.#database.prepare<[], number>("pragma data_version").pluck();
    return this.#dataVersion.get() ?? 0;
  }

  /** Counts the statements that have changed something, or failed in the attempt, since the connection was opened. */
  get changes(): number {
    return this.#changes;
  }

  /** Counts the rows that the connection has changed since it was opened, by cascades and triggers too. */
  totalChanges(): number {
    const [row] = this.#rows<{ changes: number }>("select total_changes() as changes", []);
    return row?.changes ?? 0;
  }

  /**
   * Writes logged pages to the database: `passive` the pages that no reader needs from the log, `truncate` all of them to leave an
   * empty log, `noop` none.
   */
  checkpoint(mode: CheckpointMode): LogPages {
    const [row] = this.#rows<LogPages>(`pragma wal_checkpoint(${mode})`, []);
    return row ?? { busy: 1, log: 0, checkpointed: 0 };
  }

  /** Sets or reads a pragma. */
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

  #rows<Row>(sql: string, parameters: readonly unknown[]): Row[] {
    const { statement, names } = this.#kept(sql);
    if (!statement.readonly) this.#changes += 1;
    const rows = statement.all(parameters) as unknown[][];
    // A query's type says what its rows are; nothing at run time can.
    return rows.map((values) => buildRow(names, values)) as Row[];
  }

  #kept(sql: string): CachedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    // Lists of values, with the names put to them here, take less time than objects of the driver's making.
    const kept = statement.reader
      ? { statement: statement.raw(), names: statement.columns().map(({ name }) => name) }
      : { statement, names: [] };
    for (const oldest of this.#statements.keys()) {
      if (this.#statements.size < STATEMENTS) break;
      this.#statements.delete(oldest);
    }
    this.#statements.set(sql, kept);
    return kept;
  }
}

export type CheckpointMode = "noop" | "passive" | "truncate";

/** The pages of the write-ahead log, and how many of them are in the database. */
export interface LogPages {
  readonly log: number;
  readonly checkpointed: number;
  /** 1 when another connection was in the way. */
  readonly busy: number;
}

/** A prepared statement and the names of its columns. */
interface CachedStatement {
  readonly statement: Database.Statement;
  readonly names: readonly string[];
}

/** Creates an empty file that its owner alone may read: SQLite makes its other files with the rights of this one. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch {
    // It is there, or can't be made, which SQLite says better.
  }
}

/** Returns a row as an object, from the names and the values of its columns. */
export function buildRow(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < names.length; at += 1) row[names[at] ?? ""] = values[at];
  return row;
}

/** Reads the newest version of the tables. */
export const tablesVersion: CompiledQuery<{ readonly version: number | null }> = CompiledQuery.raw(
  "select max(version) as version from loyalty_migrations",
);

/** Checks the version of the tables on one connection. It reads the table again only when another connection has committed. */
export class TablesCheck {
  #dataVersion: number | null = null;
  #version: number | null = null;

  constructor(
    private readonly connection: SqliteConnection,
    private readonly fence: Fence,
  ) {}

  /** True once a check, on any connection, has failed. */
  get isDue(): boolean {
    return this.fence.isBroken;
  }

  /**
   * Checks the state that the current transaction sees.
   * @returns true if no other connection has committed since the previous check.
   * @throws {LoyaltyError} `storage_unavailable` if the tables belong to another release.
   * @throws what SQLite throws.
   */
  assertCurrent(): boolean {
    const dataVersion = this.connection.dataVersion();
    const isAlone = dataVersion === this.#dataVersion;
    if (!isAlone) {
      this.#version = this.connection.all(tablesVersion)[0]?.version ?? null;
      this.#dataVersion = dataVersion;
    }
    this.fence.assertCurrent(this.#version);
    return isAlone;
  }
}

/** In older versions two processes can damage a database whose write-ahead log was just reset. */
const OLDEST = "3.51.3";

/** @throws if the SQLite library is older than what this adapter can trust with data. */
export function assertSupportedVersion(version: string): void {
  if (compare(version, OLDEST) >= 0) return;
  throw new Error(
    `SQLite ${version} is too old: loyalty-kit needs ${OLDEST} or later, as better-sqlite3 12.11 brings it`,
  );
}

function compare(a: string, b: string): number {
  const others = b.split(".").map(Number);
  for (const [at, part] of a.split(".").map(Number).entries()) {
    const difference = part - (others[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A call gives up after this many milliseconds of running time. */
const PATIENCE = 10_000;
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 10;

/**
 * Tries until the database is not busy. SQLite's own waiting would hold up the whole process; these pauses, growing
 * and jittered so that processes don't keep in step, hold up only the caller.
 */
export class BusyRetry {
  /** The pauses since the database was free. */
  #busyMs = 0;

  /**
   * @param waitedMs for how long the caller has waited already. A call gives up once it has waited for 10 s and the database
   *   has been busy for 10 s: a long queue alone is no reason.
   * @throws {LoyaltyError} `storage_unavailable` if it gives up; else what `attempt` throws.
   */
  *run<T>(attempt: () => T | Promise<T>, waitedMs = 0): Step<T> {
    let waited = waitedMs;
    for (let longest = FIRST_PAUSE; ; longest = Math.min(2 * longest, LONGEST_PAUSE)) {
      try {
        const result = yield* awaitInStep(attempt());
        this.#busyMs = 0;
        return result;
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (Math.min(waited, this.#busyMs) >= PATIENCE) {
          throw unavailable("locked", error);
        }
      }
      const pause = longest * (0.5 + Math.random() / 2);
      yield new Promise((resolve) => setTimeout(resolve, pause));
      waited += pause;
      this.#busyMs += pause;
    }
  }
}
