import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { RateLimitStore } from "../../../http/index.js";
import type { Inspection } from "../../../storage/kysely/inspection.js";

/** Options for opening a database. */
export interface OpenOptions {
  /** Maximum number of connections to the database. */
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** URLs of the database's replicas. */
  readonly replicas?: readonly string[];
  /**
   * Called after opening the database if its tables were created or migrated. Without this callback, a database whose tables are
   * from another release is rejected.
   */
  readonly onMigration?: (versions: Versions) => void;
}

/** Schema versions before and after a migration. */
export interface Versions {
  readonly from: number;
  readonly to: number;
}

/**
 * Options for a backup. If `withPending` is true, messages that are scheduled or being sent stay pending in the backup. Otherwise,
 * they are canceled in the backup.
 */
export interface BackupCommandOptions {
  readonly withPending: boolean;
}

/** Formats a line that reports the migration of a database's tables. */
export function formatMigration(database: string, { from, to }: Versions): string {
  return `${database} migrated from version ${from} to version ${to}`;
}

/** The result of inspecting a database. */
export interface InspectedDatabase {
  /** The type and version of the database, such as `SQLite 3.45`. */
  readonly kind: string;
  /** State of the tables, or `null` if the database file doesn't exist yet. */
  readonly tables: Inspection | null;
  /**
   * How far the database server's clock is ahead of this machine's clock, in milliseconds, or `null` if the database has no clock
   * of its own.
   */
  readonly aheadMs: number | null;
}

/** A database that commands can open, inspect, migrate, and back up. */
export interface Database {
  /** Name of the database for messages. It contains no password. */
  readonly name: string;
  /** Path of the database file, or `null` if the database is on a server. */
  readonly file: string | null;
  /**
   * Opens the database.
   * @throws {CommandError} explaining why the database can't be opened and which command would fix the problem.
   */
  open(options?: OpenOptions): Promise<StorageAdapter>;
  /** Opens a rate limit store that all processes share. Resolves to `null` if each process counts its own requests. */
  openRateLimits(): Promise<{ readonly store: RateLimitStore; close(): Promise<void> } | null>;
  /**
   * Inspects the database without changing anything.
   * @throws {CommandError} explaining why the database can't be opened.
   */
  inspect(options?: OpenOptions): Promise<InspectedDatabase>;
  /**
   * Migrates the tables to this release.
   * @returns the schema versions before and after.
   * @throws {CommandError} explaining why the tables can't be migrated.
   */
  migrate(): Promise<Versions>;
  /**
   * Copies the database to a new file while it is in use.
   * @throws {CommandError} explaining why the database can't be copied.
   */
  backup(target: string, options: BackupCommandOptions): Promise<void>;
  /**
   * Returns the SQL that {@link migrate} would run.
   * @throws {CommandError} if the SQL isn't available.
   */
  migrationScript(): Promise<string>;
}
