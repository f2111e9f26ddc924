import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import type { RateLimitStore } from "../../http/index.js";
import type { Inspection } from "../../kysely/inspection.js";

/** Options for opening a server's database. */
export interface OpenOptions {
  /** Maximum number of connections. */
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** URLs of the database's replicas. */
  readonly replicas?: readonly string[];
  /**
   * Called when opening has created or migrated the tables. If this is missing, a database with tables from another release is
   * rejected.
   */
  readonly onMigration?: (versions: Versions) => void;
}

/** Schema versions before and after a migration. */
export interface Versions {
  readonly from: number;
  readonly to: number;
}

/** Whether a backup keeps messages that are scheduled or being sent. By default they are canceled in the backup. */
export interface BackupCommandOptions {
  readonly withPending: boolean;
}

/** Formats a line saying that a database's tables were migrated. */
export function formatMigration(database: string, { from, to }: Versions): string {
  return `${database} migrated from version ${from} to version ${to}`;
}

/** The result of inspecting a database, which changes nothing. */
export interface InspectedDatabase {
  /** The kind and version of the database, such as `SQLite 3.45`. */
  readonly kind: string;
  /** `null` if there is no file yet. */
  readonly tables: Inspection | null;
  /**
   * How far the database server's clock is ahead of this machine's, in milliseconds; `null` if the database has no clock of its
   * own.
   */
  readonly aheadMs: number | null;
}

/** A database that a command works on. */
export interface Database {
  /** Name of the database in messages, without a password. */
  readonly name: string;
  /** Path of the database file; `null` if the database is on a server. */
  readonly file: string | null;
  /** @throws {CommandError} explaining why the database can't be opened and which command would fix that. */
  open(options?: OpenOptions): Promise<StorageAdapter>;
  /** Opens a rate limit store that all processes share; `null` if each process counts its own requests. */
  openRateLimits(): Promise<{ readonly store: RateLimitStore; close(): Promise<void> } | null>;
  /**
   * Inspects the database without changing anything.
   * @throws {CommandError} explaining why the database can't be opened.
   */
  inspect(options?: OpenOptions): Promise<InspectedDatabase>;
  /**
   * Migrates the tables to this release.
   * @throws {CommandError} explaining why they can't be migrated.
   */
  migrate(): Promise<Versions>;
  /**
   * Copies the database to a new file while it is in use.
   * @throws {CommandError} explaining why it can't be copied.
   */
  backup(target: string, options: BackupCommandOptions): Promise<void>;
  /**
   * Returns the SQL that {@link migrate} would run.
   * @throws {CommandError} if the SQL is not available.
   */
  migrationScript(): Promise<string>;
}
