/** Storage in an SQLite file. */
import type Database from "better-sqlite3";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import type { Migration } from "../kysely/migrations/migrations.js";
import { NotMigratedError } from "../kysely/migrations/not-migrated.js";
import type { MigrationOptions } from "../kysely/migrations/opening.js";
import { sqlStorage } from "../kysely/storage.js";
import { SqliteDatabase, type Synchronous } from "./database.js";
import { sqliteDialect } from "./dialect.js";

export { type BackupOptions, backupSqlite } from "./backup.js";
export type { Migration, MigrationOptions, Synchronous };
export { NotMigratedError };

/** The connection of `better-sqlite3` that a transaction lends. An interface, so that hosts' declaration files can name it. */
export interface SqliteClient extends Database.Database {}

/**
 * A service on an SQLite file, for signatures: `tx.client` of its transactions is a {@link SqliteClient}.
 *
 * @example
 * import type { SqliteLoyalty } from "loyalty-kit/sqlite";
 *
 * function countOrders(loyalty: SqliteLoyalty) {
 *   return loyalty.transaction(async (tx) => tx.client.prepare("select count(*) from orders").pluck().get());
 * }
 */
export type SqliteLoyalty = LoyaltyService<SqliteClient>;

/** Sets how an SQLite file is opened and written. */
export interface SqliteOptions extends MigrationOptions {
  /**
   * Says which failures a commit survives: `FULL`, the default, a power failure too; `NORMAL`, which is faster, only a crash.
   */
  readonly synchronous?: Synchronous;
}

/**
 * Storage in an SQLite file. Any number of processes of one machine may have it open; within this one, no other SQLite library
 * and no other copy of `better-sqlite3`, which the storage needs.
 *
 * Opening makes a missing file, and brings the tables of a former release to this one in one transaction; processes of that
 * release that have the file open can neither write nor read from then on (`storage_unavailable`). With
 * `migrate: "never"` it does neither, and refuses such a file.
 * @param file a path; `":memory:"` is refused, use `memoryStorage()` for that.
 * @throws if the file can't be opened, or a later release made its tables; {TypeError} when another SQLite library of this
 *   process has it open, as changes do once one is found later; a `storage_unavailable` {@link LoyaltyError} when another
 *   process keeps it busy for 10 s.
 * @throws {NotMigratedError} with `migrate: "never"`, when the tables are not there or of a former release.
 * @example
 * import { LoyaltyService } from "loyalty-kit";
 * import { sqliteStorage } from "loyalty-kit/sqlite";
 *
 * const loyalty = new LoyaltyService({ storage: await sqliteStorage("cafe.db") });
 */
export async function sqliteStorage(
  file: string,
  options: SqliteOptions = {},
): Promise<StorageAdapter<SqliteClient>> {
  const { synchronous = "FULL", migrate = "auto", onMigration } = options;
  const database = await SqliteDatabase.open(parseFilePath(file), synchronous, migrate === "auto");
  const { migration } = database;
  if (migration.from < migration.to) onMigration?.(migration);
  return sqlStorage(sqliteDialect, database);
}

/**
 * Only brings the tables of a file to this release, as {@link sqliteStorage} does too.
 * @returns the versions of the tables before and after; 0 is a file without any.
 * @throws as {@link sqliteStorage}.
 * @example
 * import { migrateSqlite } from "loyalty-kit/sqlite";
 *
 * const { from, to } = await migrateSqlite("cafe.db");
 * console.log(`The tables went from version ${from} to version ${to}.`);
 */
export async function migrateSqlite(file: string): Promise<Migration> {
  const database = await SqliteDatabase.open(parseFilePath(file), "FULL");
  await database.close();
  return database.migration;
}

/** Each connection to a database without a file would get one of its own. */
function parseFilePath(file: string): string {
  const path = file.trim();
  if (path !== "" && path !== ":memory:") return file;
  throw new Error(`"${file}" is no file: for data in memory use memoryStorage() of loyalty-kit/memory`);
}
