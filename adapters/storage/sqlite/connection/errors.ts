import { unavailable } from "../../../../src/base/errors.js";

/**
 * Returns whether an error means that another connection holds a lock that the statement needs. In that case, retrying might
 * succeed.
 */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_BUSY(_|$)/.test(codeOf(error));
}

/**
 * Returns whether an error means that the transaction can no longer write because its snapshot is stale. This happens when another
 * transaction has committed since the transaction's first read.
 */
export function isSnapshotStale(error: unknown): boolean {
  return codeOf(error) === "SQLITE_BUSY_SNAPSHOT";
}

/** Returns whether an error means that a statement refers to a table or column that doesn't exist. */
export function isSchemaMismatch(error: unknown): boolean {
  return codeOf(error) === "SQLITE_ERROR" && error instanceof Error && /^no such /.test(error.message);
}

/** Returns whether the disk is too full for a change. This may be temporary. */
function isFull(error: unknown): boolean {
  return codeOf(error) === "SQLITE_FULL";
}

/** Converts an error to `storage_unavailable` if the database is busy or the disk is full. Returns any other error unchanged. */
export function toPortError(error: unknown): unknown {
  if (isFull(error)) return unavailable("full", error);
  if (isSnapshotStale(error)) return unavailable("raced", error);
  return isBusy(error) ? unavailable("locked", error) : error;
}

/** Returns the error's SQLite code. It doesn't use `instanceof`, because a host's copy of the driver has its own error class. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
