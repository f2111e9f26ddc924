import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import type { RateLimitStore } from "../../http/index.js";
import type { Versions } from "./migration-words.js";

/** How it is used, where it is a server. */
export interface OpenOptions {
  /** Connections at most. */
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** URLs of servers that follow it. */
  readonly replicas?: readonly string[];
  /**
   * Given where it is to be made or brought to this release when that has still to be done; told of what was done then.
   * Without it, such a database is refused.
   */
  readonly onMigration?: (versions: Versions) => void;
}

/** A database that a command works on. */
export interface Database {
  /** What users are told it is. It has no password. */
  readonly name: string;
  /** @throws {CommandError} saying why it can't be opened, and by which command it can. */
  open(options?: OpenOptions): Promise<StorageAdapter>;
  /** Where all processes on the database count requests together; `null` where each counts for itself. */
  openRateLimits(): Promise<OpenRateLimits | null>;
  /**
   * Only brings it to the version of this release.
   * @returns the versions before and after.
   * @throws {CommandError} saying why that can't be.
   */
  migrate(): Promise<Versions>;
  /** Copies it to a new file while it is in use. @throws {CommandError} saying why that can't be. */
  backup(target: string): Promise<void>;
  /** The SQL that {@link migrate} would run. @throws {CommandError} when that is not to be had. */
  migrationScript(): Promise<string>;
}

/** A store of rate limits with connections of its own. */
export interface OpenRateLimits {
  readonly store: RateLimitStore;
  close(): Promise<void>;
}
