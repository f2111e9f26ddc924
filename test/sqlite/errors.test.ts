import Database from "better-sqlite3";
import { isLoyaltyError } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { toPortError } from "../../adapters/storage/sqlite/connection/connection.js";

const createSqliteError = (code: string, message = "it failed") => new Database.SqliteError(message, code);

describe("an error from SQLite", () => {
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
    ["SQLITE_IOERR_WRITE", "disk I/O error"],
    ["SQLITE_CORRUPT", "database disk image is malformed"],
  ])("%s is returned unchanged: %s", (code, message) => {
    const error = createSqliteError(code, message);
    expect(toPortError(error)).toBe(error);
  });

  it.each([
    ["SQLITE_BUSY", "locked for too long"],
    ["SQLITE_BUSY_SNAPSHOT", "Run it again"],
    ["SQLITE_BUSY_RECOVERY", "locked for too long"],
    ["SQLITE_FULL", "Free up some space"],
  ])("%s is storage_unavailable, and says: %s", (code, remedy) => {
    const error = createSqliteError(code);
    const unavailable = toPortError(error);
    expect(isLoyaltyError(unavailable, "storage_unavailable")).toBe(true);
    expect(unavailable).toMatchObject({ cause: error, message: expect.stringContaining(remedy) });
  });

  it("is recognized by its code, because a host's copy of the driver has its own error class", () => {
    const busy = Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
    expect(isLoyaltyError(toPortError(busy), "storage_unavailable")).toBe(true);
    const error = new Error("database is locked");
    expect(toPortError(error)).toBe(error);
  });
});
