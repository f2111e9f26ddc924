import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { buildMessageCancellations } from "../kysely/copying/copy.js";
import { assertSupportedVersion } from "./connection/connection.js";
import { sqliteDialect } from "./dialect.js";
import { loadDriver, openFile } from "./driver/driver.js";

/** More pages than any database has, so that the copy is made in one step and never restarted by a writer. */
const ALL_PAGES = 0x7fffffff;

export interface BackupOptions {
  /**
   * Whether messages that are scheduled or being sent stay pending in the copy, so that the copy can send them. Otherwise, they
   * become `CANCELED` in the copy, because customers could receive them twice if the original also sent them. Default: false.
   */
  readonly withPending?: boolean;
}

/**
 * Copies a database file while it is in use. The copy contains one complete committed state and has no write-ahead log. It is
 * verified before it is given its final name, so a file with that name is always valid, even after a power failure.
 * @param target a path at which no file exists yet.
 * @throws if the file isn't a database, the target exists or can't be written, the target's folder is missing, or the copy is
 *   damaged. In any of these cases, no file is left behind.
 * @example
 * import { backupSqlite } from "loyalty-kit/sqlite";
 *
 * const day = new Date().toISOString().slice(0, 10);
 * await backupSqlite("cafe.db", `backups/cafe-${day}.db`);
 */
export async function backupSqlite(
  file: string,
  target: string,
  { withPending = false }: BackupOptions = {},
): Promise<void> {
  await loadDriver();
  if (existsSync(target)) throw new Error(`${target} already exists`);
  const folder = dirname(target);
  if (!existsSync(`${folder}/.`)) throw new Error(`folder ${folder} doesn't exist; create it first`);
  const unfinished = `${target}.unfinished`;
  const source = openFile(file, { readonly: true, fileMustExist: true });
  try {
    assertSupportedVersion(String(source.prepare("select sqlite_version()").pluck().get()));
    removeDatabase(unfinished);
    // Only the owner may read the file, regardless of the umask, because it contains customer data.
    closeSync(openSync(unfinished, "wx", 0o600));
    chmodSync(unfinished, 0o600);
    await source.backup(unfinished, { progress: () => ALL_PAGES });
    assertIntact(unfinished);
    detachFromSource(unfinished, withPending);
    syncToDisk(unfinished);
    renameSync(unfinished, target);
    syncToDisk(folder);
  } catch (error) {
    removeDatabase(unfinished);
    throw error;
  } finally {
    source.close();
  }
}

/** Removes a database and SQLite's companion files. SQLite would otherwise roll back an old journal into a new database. */
function removeDatabase(file: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
}

/** @throws if a page, an index or a foreign key in the copy is invalid. */
function assertIntact(file: string): void {
  const copy = openFile(file);
  try {
    copy.pragma("journal_mode = delete");
    const [problem] = copy.pragma("integrity_check(1)") as { integrity_check: string }[];
    if (problem?.integrity_check !== "ok")
      throw new Error(`the copy is damaged: ${problem?.integrity_check}`);
    const dangling = copy.pragma("foreign_key_check") as unknown[];
    if (dangling.length > 0)
      throw new Error(`the copy has ${dangling.length} rows that refer to missing rows`);
  } finally {
    copy.close();
  }
}

/**
 * Removes the records of the server processes that use the source, because none of them uses the copy. Unless `withPending` is
 * true, also cancels messages that are waiting to be sent. A file from an older release might not have these tables.
 */
function detachFromSource(file: string, withPending: boolean): void {
  const copy = openFile(file);
  try {
    const findTable = copy.prepare("select 1 from sqlite_schema where name = ?");
    copy.transaction(() => {
      if (findTable.get("loyalty_servers") !== undefined) copy.exec("delete from loyalty_servers");
      if (withPending || findTable.get("loyalty_messages") === undefined) return;
      for (const { sql, parameters } of buildMessageCancellations(sqliteDialect))
        copy.prepare(sql).run(...parameters);
    })();
  } finally {
    copy.close();
  }
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
