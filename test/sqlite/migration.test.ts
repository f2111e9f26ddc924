import { migrateSqlite } from "loyalty-kit/sqlite";
import { expect, it } from "vitest";
import { SqliteDatabase } from "../../adapters/storage/sqlite/database.js";
import { sqliteDialect } from "../../adapters/storage/sqlite/dialect.js";
import { createNextRelease, NEXT_INDEX } from "../kysely/next-release.js";
import { otherProgram } from "./open-storage.js";
import { createTemporaryFile } from "./temporary-file.js";

it("a migration keeps the planner's hints for all indexes, and adds those for new indexes", async () => {
  const file = createTemporaryFile();
  await migrateSqlite(file);
  const other = otherProgram(file);
  const listHints = () => other.prepare("select idx from sqlite_stat1 order by idx").pluck().all();
  const before = listHints();
  expect(before).toContain("loyalty_users_updated_at");
  await (await SqliteDatabase.open(file, "NORMAL", true, createNextRelease(sqliteDialect))).close();
  expect(listHints()).toEqual([...before, NEXT_INDEX].sort());
});
