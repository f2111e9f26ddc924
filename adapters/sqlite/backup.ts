import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { canceledMessages } from "../kysely/copying/cancel-waiting-messages.js";
import { assertSupportedVersion } from "./connection/connection.js";
import { sqliteDialect } from "./dialect.js";
import { loadDriver, openFile } from "./driver/driver.js";

/** More pages than any database has: a copy in one step is never restarted by a writer. */
const ALL_PAGES = 0x7fffffff;

export interface BackupOptions {
  /**
   * With true the copy sends the messages that wait to begin, or are being sent. Default: false. Else they are `CANCELED`
   * there, lest customers get twice what was sent after the copy was made.
   */
  readonly withPending?: boolean;
}

/**
 * Copies a database file while others use it: one committed state, whole, without a write-ahead log. The copy is
 * checked before it gets its name, so a file of this name is a good one, after a power failure too.
 * @param target a path where nothing is yet.
 * @throws if the file is no database, the target exists or can't be written, its folder is missing, or the copy is damaged; nothing is left then.
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
  if (existsSync(target)) throw new Error(`${target} exists already`);
  const folder = dirname(target);
  if (!existsSync(`${folder}/.`)) throw new Error(`there is no folder ${folder}: make it first`);
  const unfinished = `${target}.unfinished`;
  const source = openFile(file, { readonly: true, fileMustExist: true });
  try {
    assertSupportedVersion(String(source.prepare("select sqlite_version()").pluck().get()));
    removeDatabase(unfinished);
    // Readable by the owner only, whatever the umask is, because it contains customers.
    closeSync(openSync(unfinished, "wx", 0o600));
    chmodSync(unfinished, 0o600);
    await source.backup(unfinished, { progress: () => ALL_PAGES });
    assertWhole(unfinished);
    if (!withPending) cancelMessages(unfinished);
    synced(unfinished);
    renameSync(unfinished, target);
    synced(folder);
  } catch (error) {
    removeDatabase(unfinished);
    throw error;
  } finally {
    source.close();
  }
}

/** Removes a database with the files that SQLite keeps beside it. It would roll an old journal back into a new database. */
function removeDatabase(file: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
}

/** @throws if a page, an index or a reference of the copy is wrong. */
function assertWhole(file: string): void {
  const copy = openFile(file);
  try {
    copy.pragma("journal_mode = delete");
    const [problem] = copy.pragma("integrity_check(1)") as { integrity_check: string }[];
    if (problem?.integrity_check !== "ok")
      throw new Error(`the copy is damaged: ${problem?.integrity_check}`);
    const dangling = copy.pragma("foreign_key_check") as unknown[];
    if (dangling.length > 0) throw new Error(`the copy has ${dangling.length} rows that refer to nothing`);
  } finally {
    copy.close();
  }
}

/** Cancels what waits to be sent, where the file has a table for that. */
function cancelMessages(file: string): void {
  const copy = openFile(file);
  try {
    const hasMessages = copy.prepare("select 1 from sqlite_schema where name = 'loyalty_messages'").get();
    if (hasMessages === undefined) return;
    copy.transaction(() => {
      for (const { sql, parameters } of canceledMessages(sqliteDialect)) copy.prepare(sql).run(...parameters);
    })();
  } finally {
    copy.close();
  }
}

function synced(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
