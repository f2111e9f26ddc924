import { join } from "node:path";
import { migrateSqlite } from "loyalty-kit/sqlite";
import { createEmptyFolder } from "./command.js";

/** Creates a database file with empty tables in its own folder. */
export async function createDatabase(): Promise<string> {
  const file = join(createEmptyFolder(), "loyalty.db");
  await migrateSqlite(file);
  return file;
}
