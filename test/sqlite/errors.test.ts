import Database from "better-sqlite3";
import { isLoyaltyError, StorageConflict } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { translated } from "../../adapters/sqlite/errors.js";

const failed = (code: string, message = "it failed") => new Database.SqliteError(message, code);

describe("an error of SQLite", () => {
  it.each([
    ["SQLITE_CONSTRAINT_UNIQUE", "loyalty_users.email_fold", "email"],
    ["SQLITE_CONSTRAINT_UNIQUE", "loyalty_users.external_id", "externalId"],
    ["SQLITE_CONSTRAINT_UNIQUE", "loyalty_user_tags.slug", "slug"],
    ["SQLITE_CONSTRAINT_UNIQUE", "loyalty_wallet_passes.code", "code"],
    ["SQLITE_CONSTRAINT_PRIMARYKEY", "loyalty_user_tag_assignments.tag_ordinal", "assignment"],
  ])("%s on %s is a conflict of %s", (code, column, key) => {
    const [table] = column.split(".");
    const error = failed(code, `UNIQUE constraint failed: ${table}.organization_id, ${column}`);
    const conflict = translated(error);
    expect(conflict).toBeInstanceOf(StorageConflict);
    expect(conflict).toMatchObject({ key, cause: error });
  });

  it.each([
    ["SQLITE_CONSTRAINT_NOTNULL", "NOT NULL constraint failed: loyalty_users.email_fold"],
    [
      "SQLITE_CONSTRAINT_UNIQUE",
      "UNIQUE constraint failed: loyalty_users.organization_id, loyalty_users.ordinal",
    ],
    [
      "SQLITE_CONSTRAINT_PRIMARYKEY",
      "UNIQUE constraint failed: loyalty_users.organization_id, loyalty_users.id",
    ],
    ["SQLITE_CONSTRAINT_FOREIGNKEY", "FOREIGN KEY constraint failed"],
    ["SQLITE_FULL", "database or disk is full"],
    ["SQLITE_IOERR_WRITE", "disk I/O error"],
    ["SQLITE_CORRUPT", "database disk image is malformed"],
  ])("%s stays as it is: %s", (code, message) => {
    const error = failed(code, message);
    expect(translated(error)).toBe(error);
  });

  it.each(["SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_BUSY_RECOVERY"])(
    "%s is storage_unavailable",
    (code) => {
      const error = failed(code);
      const unavailable = translated(error);
      expect(isLoyaltyError(unavailable, "storage_unavailable")).toBe(true);
      expect(unavailable).toMatchObject({ cause: error });
    },
  );

  it("is told from other errors", () => {
    const error = Object.assign(new Error("UNIQUE constraint failed: loyalty_users.email_fold"), {
      code: "SQLITE_CONSTRAINT_UNIQUE",
    });
    expect(translated(error)).toBe(error);
  });
});
