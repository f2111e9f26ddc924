import { join } from "node:path";
import { migrateSqlite } from "loyalty-kit/sqlite";
import { createEmptyFolder } from "./command.js";

/** A database file with its tables and nothing in them, in a folder of its own. */
export async function createDatabase(): Promise<string> {
  const file = join(createEmptyFolder(), "loyalty.db");
  await migrateSqlite(file);
  return file;
}
