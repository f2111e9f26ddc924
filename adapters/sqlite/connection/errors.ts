import { unavailable } from "../../../src/errors.js";

/** True when another connection holds what the statement needs, so that trying again can help. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_BUSY(_|$)/.test(codeOf(error));
}

/** True if a transaction has read rows that another one has changed since, so it can no longer write. */
export function isSnapshotStale(error: unknown): boolean {
  return codeOf(error) === "SQLITE_BUSY_SNAPSHOT";
}

/** True when a table or a column is not there that the statement names. */
export function isSchemaMismatch(error: unknown): boolean {
  return codeOf(error) === "SQLITE_ERROR" && error instanceof Error && /^no such /.test(error.message);
}

/** True when the disk has no room for a change: there may be some later. */
function isFull(error: unknown): boolean {
  return codeOf(error) === "SQLITE_FULL";
}

/** Returns `storage_unavailable` for a busy database and for a full disk, and any other error as it is. */
export function toPortError(error: unknown): unknown {
  if (isFull(error)) return unavailable("full", error);
  if (isSnapshotStale(error)) return unavailable("raced", error);
  return isBusy(error) ? unavailable("locked", error) : error;
}

/** A host's copy of the driver has a class of its own. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
