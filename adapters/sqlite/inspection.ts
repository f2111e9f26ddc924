import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { type Inspection, inspected } from "../kysely/inspection.js";
import { assertTrusted } from "./connection/connection.js";
import { sqliteDialect } from "./dialect.js";
import { assertDriverFits, installedDriver } from "./library/driver-fit.js";

/** The driver as it is installed, and the SQLite in it. @throws when it does not fit this Node.js, or is too old. */
export function inspectedDriver(): string {
  assertDriverFits();
  const database = new Database(":memory:");
  try {
    const version = String(database.prepare("select sqlite_version()").pluck().get());
    assertTrusted(version);
    return `better-sqlite3 ${installedDriver()?.version ?? "in a bundle"} with SQLite ${version}`;
  } finally {
    database.close();
  }
}

/** Looks at the tables of a file. Nothing in it or beside it is another afterwards. @throws when it can't be opened. */
export async function inspectSqlite(file: string): Promise<Inspection> {
  assertDriverFits();
  // Who may only read leaves a log behind where there was none, and who may write puts one that is there into the file.
  const database = new Database(file, { readonly: existsSync(`${file}-wal`), fileMustExist: true });
  try {
    database.pragma("query_only = on");
    return await inspected(sqliteDialect, async ({ sql, parameters }) => {
      const statement = database.prepare<unknown[]>(sql);
      return rowsOf(statement.all(...parameters));
    });
  } finally {
    database.close();
  }
}

/** A query's type says what its rows are; nothing at run time can. */
function rowsOf<Row>(rows: unknown[]): Row[] {
  return rows as Row[];
}
