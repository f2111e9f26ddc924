/** Storage in an SQLite file. */
import type Database from "better-sqlite3";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { type Migration, type MigrationOptions, NotMigratedError } from "../kysely/migrations/migrations.js";
import { sqlStorage } from "../kysely/storage.js";
import { SqliteDatabase, type Synchronous } from "./database.js";
import { sqliteDialect } from "./dialect.js";

export { type BackupOptions, backupSqlite } from "./backup.js";
export type { Migration, MigrationOptions, Synchronous };
export { NotMigratedError };

/**
 * The `better-sqlite3` connection available in a managed transaction. It is declared as an interface so that hosts' declaration
 * files can refer to it by name.
 */
export interface SqliteClient extends Database.Database {}

/**
 * A service backed by a SQLite file, for use in function signatures. In its transactions, `tx.client` is a {@link SqliteClient}.
 *
 * @example
 * import type { SqliteLoyalty } from "loyalty-kit/sqlite";
 *
 * function countOrders(loyalty: SqliteLoyalty) {
 *   return loyalty.transaction(async (tx) => tx.client.prepare("select count(*) from orders").pluck().get());
 * }
 */
export type SqliteLoyalty = LoyaltyService<SqliteClient>;

/** Options for opening a SQLite file and committing changes to it. */
export interface SqliteOptions extends MigrationOptions {
  /**
   * Durability of commits. With `FULL`, a commit survives power failures. With `NORMAL`, which is faster, a commit survives a
   * process crash, but might not survive a power failure. Default: `FULL`.
   */
  readonly synchronous?: Synchronous;
}

/**
 * Opens storage in a SQLite file. Any number of processes on one machine can have the file open. Within this process, the file
 * must not be open in another SQLite library or another copy of `better-sqlite3`.
 *
 * Creates the file if it is missing, and migrates tables from an earlier release in one transaction. Processes that still run the
 * earlier release can then neither read nor write (`storage_unavailable`). With `migrate: "never"`, a file that is missing or
 * needs a migration is rejected instead.
 * @param file a path. `":memory:"` is rejected. Use `memoryStorage()` instead.
 * @throws if the file can't be opened, or if its tables have a later release's schema.
 * @throws {TypeError} if another SQLite library in this process has the file open. If such a library opens the file later,
 *   changes throw this error.
 * @throws {LoyaltyError} `storage_unavailable` if another process keeps the file busy for 10 s.
 * @throws {NotMigratedError} with `migrate: "never"`, if the tables are missing or have an earlier release's schema.
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
 * Migrates a file's tables to this release's schema without opening storage, for example in a deployment step.
 * @returns the schema versions before and after the migration. Version 0 means that the file had no tables.
 * @throws the same errors as {@link sqliteStorage}.
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

/** Rejects in-memory databases, because each connection would open a separate one. */
function parseFilePath(file: string): string {
  const path = file.trim();
  if (path !== "" && path !== ":memory:") return file;
  throw new Error(
    `"${file}" isn't a file; to keep data in memory, use memoryStorage() from loyalty-kit/memory`,
  );
}
