import { migrateSqlite } from "loyalty-kit/sqlite";
import { expect, it } from "vitest";
import { SqliteDatabase } from "../../adapters/storage/sqlite/database.js";
import { sqliteDialect } from "../../adapters/storage/sqlite/dialect.js";
import { NEXT_INDEX, nextRelease } from "../kysely/next-release.js";
import { otherProgram } from "./opened.js";
import { temporaryFile } from "./temporary-file.js";

it("a migration tells the planner of all indexes, and of those that it adds", async () => {
  const file = temporaryFile();
  await migrateSqlite(file);
  const other = otherProgram(file);
  const listHints = () => other.prepare("select idx from sqlite_stat1 order by idx").pluck().all();
  const before = listHints();
  expect(before).toContain("loyalty_users_updated_at");
  await (await SqliteDatabase.open(file, "NORMAL", true, nextRelease(sqliteDialect))).close();
  expect(listHints()).toEqual([...before, NEXT_INDEX].sort());
});
