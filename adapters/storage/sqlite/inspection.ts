import { existsSync } from "node:fs";
import { type Inspection, inspectTables } from "../kysely/inspection.js";
import { assertSupportedVersion } from "./connection/connection.js";
import { sqliteDialect } from "./dialect.js";
import { findInstalledDriver, loadDriver, openFile } from "./driver/driver.js";
import { CheckpointThread } from "./writer/checkpoint-thread.js";

/**
 * Returns a one-line description of the installed driver and its SQLite library, with their versions.
 * @throws if the SQLite library is too old, or if the driver doesn't support this version of Node.js.
 */
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

/** Tries to start a thread like the one for checkpoints. Reports the problem if it can't start. */
async function tryThread(): Promise<void> {
  const thread = new CheckpointThread(":memory:");
  await thread.run(false).catch(() => {});
  await thread.close();
}

/**
 * Inspects a file's tables without changing the file or its companion files.
 * @returns the state of the tables.
 * @throws if the file can't be opened.
 */
export async function inspectSqlite(file: string): Promise<Inspection> {
  await loadDriver();
  // A read-only connection would leave a log behind where there was none, and a writable one would write an existing log to the
  // file.
  const database = openFile(file, { readonly: existsSync(`${file}-wal`), fileMustExist: true });
  try {
    database.pragma("query_only = on");
    return await inspectTables(sqliteDialect, async ({ sql, parameters }) => {
      const statement = database.prepare<unknown[]>(sql);
      return castRows(statement.all(...parameters));
    });
  } finally {
    database.close();
  }
}

/** Casts rows to the query's row type, which can't be checked at run time. */
function castRows<Row>(rows: unknown[]): Row[] {
  return rows as Row[];
}
