import Sqlite from "better-sqlite3";
import type { StorageAdapter } from "loyalty-kit";
import { fromBetterSqlite3, fromPg } from "loyalty-kit/joining";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { OpenTransaction } from "loyalty-kit/storage";
import pg from "pg";
import { getSchemaVersion, type Migration } from "../../adapters/storage/kysely/migrations/migrations.js";
import { postgresDialect } from "../../adapters/storage/postgres/dialect.js";
import { assertTables, migrateTables } from "../../adapters/storage/postgres/migration.js";
import { SqliteDatabase } from "../../adapters/storage/sqlite/database.js";
import { sqliteDialect } from "../../adapters/storage/sqlite/dialect.js";
import { someTemplate } from "../../adapters/testing/storage-suite/kit/records.js";
import { addCleanup } from "../kit/cleanup.js";
import { isInThisRun } from "../kit/this-run.js";
import { createDatabase } from "../postgres/database-on.js";
import { createPlace } from "../postgres/place.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { createNextRelease } from "./next-release.js";

/** A storage, and other ways to use its database. */
export interface FencedDatabase {
  readonly storage: StorageAdapter;
  /** Runs a statement as another program. */
  execute(sql: string): Promise<unknown>;
  /**
   * Opens and closes the database with {@link createNextRelease}, which migrates the tables only if
   * `mayMigrate`.
   */
  openByNextRelease(options: { readonly mayMigrate: boolean }): Promise<Migration>;
  /** Opens the database once more with this release. */
  openAgain(): Promise<StorageAdapter>;
  /** Runs work in a host's open transaction, and then commits it. */
  runInHostTransaction<T>(work: (host: OpenTransaction) => Promise<T>, begin?: string): Promise<T>;
}

/** The table versions of this release and of the next one. */
export const PRESENT = getSchemaVersion(sqliteDialect);
export const NEXT = PRESENT + 1;
/** SQL that marks the tables as the next release's tables. */
export const applied = `insert into loyalty_migrations (version, applied_at) values (${NEXT}, 0)`;
/** SQL that marks the tables as this release's tables again. */
export const takenBack = `delete from loyalty_migrations where version = ${NEXT}`;

const all: readonly { readonly name: string; readonly open: () => Promise<FencedDatabase> }[] = [
  { name: "SQLite", open: openSqlite },
  { name: "Postgres", open: openPostgres },
];
/** The databases that this run tests. */
export const fencedDatabases = all.filter(({ name }) => isInThisRun(name));

export async function openSqlite(): Promise<FencedDatabase & { readonly host: Sqlite.Database }> {
  const file = createTemporaryFile();
  const storage = await sqliteStorage(file, { synchronous: "NORMAL" });
  const [host, other] = [new Sqlite(file), new Sqlite(file)];
  addCleanup(async () => {
    await storage.close();
    host.close();
    other.close();
  });
  return {
    storage,
    host,
    execute: async (sql) => other.exec(sql),
    async openByNextRelease({ mayMigrate }) {
      const next = createNextRelease(sqliteDialect);
      const database = await SqliteDatabase.open(file, "NORMAL", mayMigrate, next);
      await database.close();
      return database.migration;
    },
    openAgain: () => sqliteStorage(file),
    async runInHostTransaction(work, begin = "begin") {
      host.exec(begin);
      return work(fromBetterSqlite3(host)).finally(() => host.exec("commit"));
    },
  };
}

export async function openPostgres(): Promise<FencedDatabase & { readonly pool: pg.Pool }> {
  const { url, remove } = await createPlace();
  const pool = new pg.Pool({ connectionString: url });
  const storage = await postgresStorage(url);
  addCleanup(async () => {
    await storage.close();
    await pool.end();
    await remove();
  });
  return {
    storage,
    pool,
    execute: (sql) => pool.query(sql),
    async openByNextRelease({ mayMigrate }) {
      const [next, database] = [createNextRelease(postgresDialect()), createDatabase(pool)];
      if (mayMigrate) return migrateTables(next, database);
      await assertTables(next, database);
      return { from: NEXT, to: NEXT };
    },
    openAgain: () => postgresStorage(url),
    async runInHostTransaction(work, begin = "begin") {
      const client = await pool.connect();
      try {
        await client.query(begin);
        return await work(fromPg(client)).finally(() => client.query("commit"));
      } finally {
        client.release();
      }
    },
  };
}

export const addTemplate = (storage: StorageAdapter, isLarge = false) =>
  storage.transaction("acme", (tx) => tx.insertTemplate(someTemplate()), { isLarge });
