import { join } from "node:path";
import { migrateSqlite } from "loyalty-kit/sqlite";
import { emptyFolder } from "./command.js";

/** A database file with its tables and nothing in them, in a folder of its own. */
export async function newDatabase(): Promise<string> {
  const file = join(emptyFolder(), "loyalty.db");
  await migrateSqlite(file);
  return file;
}
