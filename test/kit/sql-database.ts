import Database from "better-sqlite3";
import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import pg from "pg";
import { onTestFinished } from "vitest";
import { newPlace } from "../postgres/place.js";
import { temporaryFile } from "../sqlite/temporary-file.js";
import { inThisRun } from "./this-run.js";

/** A database whose tables a test changes behind the library's back, such as to those of an earlier version. */
interface SqlDatabase {
  open(): Promise<StorageAdapter>;
  execute(statements: string): Promise<void>;
}

/** New ones, by what they are on. They go when the test has ended. */
export const newSqlDatabases = inThisRun<() => Promise<SqlDatabase>>({
  sqlite: async () => {
    const file = temporaryFile();
    return {
      open: () => sqliteStorage(file),
      async execute(statements) {
        const db = new Database(file);
        db.exec(statements);
        db.close();
      },
    };
  },
  postgres: async () => {
    const place = await newPlace();
    const pool = new pg.Pool({ connectionString: place.url });
    onTestFinished(async () => {
      await pool.end();
      await place.remove();
    });
    return {
      open: () => postgresStorage(place.url),
      execute: async (statements) => void (await pool.query(statements)),
    };
  },
});
