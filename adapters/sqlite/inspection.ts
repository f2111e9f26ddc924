import { existsSync } from "node:fs";
import { type Inspection, inspectTables } from "../kysely/inspection.js";
import { assertSupportedVersion } from "./connection/connection.js";
import { sqliteDialect } from "./dialect.js";
import { loadDriver, openFile } from "./driver/driver.js";
import { findInstalledDriver } from "./driver/driver-compatibility.js";
import { CheckpointThread } from "./writer/checkpoint-thread.js";

/** Returns the versions of the installed driver and its SQLite. @throws if the driver doesn't fit this Node.js or is too old. */
export async function inspectDriver(): Promise<string> {
  await loadDriver();
  const database = openFile(":memory:");
  try {
    const version = String(database.prepare("select sqlite_version()").pluck().get());
    assertSupportedVersion(version);
    await tryThread();
    return `better-sqlite3 ${findInstalledDriver()?.version ?? "in a bundle"} with SQLite ${version}`;
  } finally {
    database.close();
  }
}

/** Starts a thread as checkpoints do. One that can't start is reported. */
async function tryThread(): Promise<void> {
  const thread = new CheckpointThread(":memory:");
  await thread.run(false).catch(() => {});
  await thread.close();
}

/** Looks at the tables of a file. Nothing in it or beside it is another afterwards. @throws if it can't be opened. */
export async function inspectSqlite(file: string): Promise<Inspection> {
  await loadDriver();
  // Who may only read leaves a log behind where there was none, and who may write puts one that is there into the file.
  const database = openFile(file, { readonly: existsSync(`${file}-wal`), fileMustExist: true });
  try {
    database.pragma("query_only = on");
    return await inspectTables(sqliteDialect, async ({ sql, parameters }) => {
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
