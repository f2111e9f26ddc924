/** Storage in an SQLite file. */
import type Database from "better-sqlite3";
import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import type { Migration } from "../kysely/migrations/migrations.js";
import { sqlStorage } from "../kysely/storage.js";
import { SqliteDatabase, type Synchronous } from "./database.js";
import { sqliteDialect } from "./dialect.js";

export { backupSqlite } from "./backup.js";
export type { Migration, Synchronous };

/** How an SQLite file is written. */
export interface SqliteOptions {
  /** What a commit survives: `FULL`, the default, a power failure too; `NORMAL`, which is faster, only a crash. */
  readonly synchronous?: Synchronous;
}

/**
 * Storage in an SQLite file, which is made when it is missing and brought to this release's tables. Any number of
 * processes of one machine may have it open. Needs the package `better-sqlite3`.
 * @param file a path; `":memory:"` is refused, use `memoryStorage()` for that.
 * @throws when the file can't be opened, or a later release made its tables; a `storage_unavailable`
 *   {@link LoyaltyError} when another process keeps it busy for 10 s.
 */
export async function sqliteStorage(
  file: string,
  options: SqliteOptions = {},
): Promise<StorageAdapter<Database.Database>> {
  const database = await SqliteDatabase.open(pathOf(file), options.synchronous ?? "FULL");
  return sqlStorage(sqliteDialect, database);
}

/**
 * Only brings the tables of a file to this release, as {@link sqliteStorage} does too.
 * @returns the versions of the tables before and after; 0 is a file without any.
 * @throws as {@link sqliteStorage}.
 */
export async function migrateSqlite(file: string): Promise<Migration> {
  const database = await SqliteDatabase.open(pathOf(file), "FULL");
  await database.close();
  return database.migration;
}

/** Each connection to a database without a file would get one of its own. */
function pathOf(file: string): string {
  const path = file.trim();
  if (path !== "" && path !== ":memory:") return file;
  throw new Error(`"${file}" is no file: for data in memory use memoryStorage() of loyalty-kit/memory`);
}
