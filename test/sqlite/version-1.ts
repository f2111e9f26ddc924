import Database from "better-sqlite3";
import { firstTables } from "../../adapters/kysely/migrations/first-tables.js";
import { sqliteDialect } from "../../adapters/sqlite/dialect.js";
import { temporaryFile } from "./temporary-file.js";

/** The columns that this release has no more. */
const formerly: Readonly<Record<string, string>> = { phone_fold: "lower(phone)" };

/** A file with the tables of version 1 and the rows of another one. */
export async function asVersion1(file: string): Promise<string> {
  const path = temporaryFile();
  const db = new Database(path);
  db.pragma("foreign_keys = off");
  db.exec("create table loyalty_migrations (version integer primary key, applied_at integer not null)");
  db.exec("insert into loyalty_migrations values (1, 0)");
  for (const { sql } of firstTables(sqliteDialect)) db.exec(sql);
  db.prepare("attach ? as newer").run(file);
  const tables = db
    .prepare<[], string>(
      "select name from main.sqlite_schema where type = 'table' and name <> 'loyalty_migrations'",
    )
    .pluck()
    .all();
  for (const table of tables) {
    const columns = db
      .prepare<[string], string>("select name from pragma_table_info(?, 'main')")
      .pluck()
      .all(table);
    const values = columns.map((column) => formerly[column] ?? column);
    db.exec(`insert into main.${table} (${columns}) select ${values} from newer.${table}`);
  }
  db.close();
  return path;
}
