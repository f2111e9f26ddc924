import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { RateLimitStore } from "../../../http/index.js";
import type { Inspection } from "../../../storage/kysely/inspection.js";

/** Options for opening a database. Replicas are supported only for Postgres. */
export interface OpenOptions {
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly replicas?: readonly string[];
  /**
   * Called whenever opening the database creates or migrates its tables, with the schema versions before and after. Without this
   * callback, opening fails if tables are missing or belong to another release.
   */
  readonly onMigration?: (versions: Versions) => void;
}

/** Schema versions before and after a migration. */
export interface Versions {
  readonly from: number;
  readonly to: number;
}

/**
 * Options for a backup. By default, messages that are scheduled or being sent are canceled in the backup. If `withPending` is
 * `true`, they stay pending.
 */
export interface BackupCommandOptions {
  readonly withPending: boolean;
}

export function formatMigration(database: string, { from, to }: Versions): string {
  return `${database} migrated from version ${from} to version ${to}`;
}

export interface InspectedDatabase {
  /** The type and version of the database, such as `SQLite 3.45`. */
  readonly kind: string;
  /** The result of inspecting the tables, or `null` if the database file doesn't exist yet. */
  readonly tables: Inspection | null;
  /**
   * How far the database server's clock is ahead of this machine's clock, in milliseconds, or `null` if the database has no clock
   * of its own.
   */
  readonly clockSkewMs: number | null;
}

/** A database that commands can open, inspect, migrate, and back up. */
export interface Database {
  /** The database's name, as shown in messages. Never contains a password. */
  readonly name: string;
  /** Path of the database file, or `null` if the database is on a server. */
  readonly file: string | null;
  /**
   * Opens the database.
   * @throws {CommandError} if the database can't be opened. The message says why and which command fixes the problem.
   */
  open(options?: OpenOptions): Promise<StorageAdapter>;
  /**
   * Opens a rate limit store that is shared by all processes. Resolves to `null` for SQLite, where each process counts its own
   * requests.
   */
  openRateLimits(): Promise<{ readonly store: RateLimitStore; close(): Promise<void> } | null>;
  /**
   * Inspects the database without changing anything.
   * @throws {CommandError} if the database can't be opened. The message says why.
   */
  inspect(options?: OpenOptions): Promise<InspectedDatabase>;
  /**
   * Migrates the tables to this release's schema version.
   * @returns the schema versions before and after the migration.
   * @throws {CommandError} if the tables can't be migrated. The message says why.
   */
  migrate(): Promise<Versions>;
  /**
   * Copies the database to a new file while the database is in use.
   * @throws {CommandError} if the database can't be copied. The message says why.
   */
  backup(target: string, options: BackupCommandOptions): Promise<void>;
  /**
   * Returns the SQL that {@link migrate} would run.
   * @throws {CommandError} if this is an SQLite database, because the SQL is available only for Postgres, or if the Postgres
   *   database can't be opened.
   */
  migrationScript(): Promise<string>;
}
