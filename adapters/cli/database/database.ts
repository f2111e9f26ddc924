import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import type { RateLimitStore } from "../../http/index.js";

/** How it is used, where it is a server. */
export interface OpenOptions {
  /** Connections at most. */
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** URLs of servers that follow it. */
  readonly replicas?: readonly string[];
}

/** A database that a command works on. */
export interface Database {
  /** What users are told it is. It has no password. */
  readonly name: string;
  /** False when using it would create it. */
  readonly exists: boolean;
  /**
   * Opens it and brings it to the version of this release.
   * @throws {CommandError} saying why that can't be.
   */
  open(options?: OpenOptions): Promise<StorageAdapter>;
  /** Where all processes on the database count requests together; `null` where each counts for itself. */
  openRateLimits(): Promise<OpenRateLimits | null>;
  /**
   * Only brings it to the version of this release.
   * @returns the versions before and after.
   * @throws {CommandError} saying why that can't be.
   */
  migrate(): Promise<{ readonly from: number; readonly to: number }>;
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
