import Database from "better-sqlite3";
import { failure } from "../../src/errors.js";
import { StorageConflict } from "../../src/storage.js";
import { conflictingKey } from "../kysely/conflicts.js";

const uniqueCodes: ReadonlySet<string> = new Set([
  "SQLITE_CONSTRAINT_UNIQUE",
  "SQLITE_CONSTRAINT_PRIMARYKEY",
]);

export function isOfSqlite(error: unknown): boolean {
  return error instanceof Database.SqliteError;
}

/** True when another connection holds what the statement needs, so that trying again can help. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_BUSY(_|$)/.test(error.code);
}

/**
 * What a caller of the port gets for an error of SQLite: a {@link StorageConflict} for a broken unique
 * constraint of the port, `storage_unavailable` for a busy database, anything else as it is.
 */
export function translated(error: unknown): unknown {
  if (isBusy(error)) return failure("storage_unavailable", null, { cause: error });
  if (!(error instanceof Database.SqliteError) || !uniqueCodes.has(error.code)) return error;
  // "UNIQUE constraint failed: users.organization_id, users.email_fold"
  const [table = "", column = ""] = error.message.slice(error.message.lastIndexOf(" ") + 1).split(".");
  const key = conflictingKey(table, column);
  return key === null ? error : new StorageConflict(key, { cause: error });
}
