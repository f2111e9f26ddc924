import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import type { RateLimitStore } from "../../http/index.js";
import type { Inspection } from "../../kysely/inspection.js";

/** The options by which a server opens a database. */
export interface OpenOptions {
  /** Connections at most. */
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** URLs of servers that follow the database. */
  readonly replicas?: readonly string[];
  /**
   * Called when opening has made the tables or brought them to this release. Without it, a database whose tables are of
   * another release is refused.
   */
  readonly onMigration?: (versions: Versions) => void;
}

/** The versions of the tables before and after a migration. */
export interface Versions {
  readonly from: number;
  readonly to: number;
}

/** Whether a backup keeps the messages that are scheduled or being sent. By default it cancels them. */
export interface BackupCommandOptions {
  readonly withPending: boolean;
}

/** Tells in a line that the tables of a database were migrated. */
export function formatMigration(database: string, { from, to }: Versions): string {
  return `${database} migrated from version ${from} to version ${to}`;
}

/** A database as it is found, without a change. */
export interface InspectedDatabase {
  /** The kind and version of the database, such as `SQLite 3.45`. */
  readonly kind: string;
  /** `null` if there is no file yet. */
  readonly tables: Inspection | null;
  /** Milliseconds by which the database server's clock is ahead of this machine's; `null` if it has no clock of its own. */
  readonly aheadMs: number | null;
}

/** A database that a command works on. */
export interface Database {
  /** The database as messages name it, without a password. */
  readonly name: string;
  /** The file that it is in; `null` if that is a server's. */
  readonly file: string | null;
  /** @throws {CommandError} saying why it can't be opened, and by which command it can. */
  open(options?: OpenOptions): Promise<StorageAdapter>;
  /** Opens a store in which all processes count requests together; `null` if each counts for itself. */
  openRateLimits(): Promise<{ readonly store: RateLimitStore; close(): Promise<void> } | null>;
  /** Looks at the database without a change. @throws {CommandError} saying why it can't be opened. */
  inspect(options?: OpenOptions): Promise<InspectedDatabase>;
  /** Brings the tables to the version of this release. @throws {CommandError} saying why that can't be. */
  migrate(): Promise<Versions>;
  /** Copies the database to a new file while it is in use. @throws {CommandError} saying why that can't be. */
  backup(target: string, options: BackupCommandOptions): Promise<void>;
  /** Returns the SQL that {@link migrate} would run. @throws {CommandError} if it is not available. */
  migrationScript(): Promise<string>;
}
