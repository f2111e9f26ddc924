import Sqlite from "better-sqlite3";
import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import pg from "pg";
import { addCleanup } from "../kit/cleanup.js";
import { isInThisRun } from "../kit/this-run.js";
import { createPlace } from "../postgres/place.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

/** A storage, and ways to damage and read its rows. */
export interface Damageable {
  readonly storage: StorageAdapter;
  damage(statement: string): Promise<unknown>;
  /** Returns the rows of a query. */
  rows(query: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A kind of database whose storage a test can damage. */
export interface Database {
  readonly name: string;
  open(): Promise<Damageable>;
}

export const onSqlite: Database = {
  name: "SQLite",
  async open() {
    const file = createTemporaryFile();
    const storage = await sqliteStorage(file, { synchronous: "NORMAL" });
    const database = new Sqlite(file);
    database.pragma("foreign_keys = off");
    addCleanup(async () => {
      database.close();
      await storage.close();
    });
    return {
      storage,
      damage: async (statement) => database.exec(statement),
      rows: async (query) => database.prepare<[], Readonly<Record<string, unknown>>>(query).all(),
    };
  },
};

const onPostgres: Database = {
  name: "Postgres",
  async open() {
    const database = await createPlace();
    const pool = new pg.Pool({ connectionString: database.url });
    const storage = await postgresStorage(pool);
    addCleanup(async () => {
      await storage.close();
      await pool.end();
      await database.remove();
    });
    return {
      storage,
      damage: (statement) => pool.query(statement),
      rows: async (query) => (await pool.query(query)).rows,
    };
  },
};

/** The databases of this test run. */
export const databases = [onSqlite, onPostgres].filter(({ name }) => isInThisRun(name));
