import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import pg from "pg";
import { onTestFinished } from "vitest";
import { newPlace } from "../postgres/place.js";
import { temporaryFile } from "../sqlite/temporary-file.js";
import { inThisRun } from "./this-run.js";

/** Makes an empty database of each kind that processes share. What it returns opens the database as one of them. */
export const sharedDatabases = inThisRun<() => Promise<() => Promise<StorageAdapter>>>({
  SQLite: async () => {
    const file = temporaryFile();
    return () => sqliteStorage(file, { synchronous: "NORMAL" });
  },
  Postgres: async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    return async () => {
      const pool = new pg.Pool({ connectionString: place.url, max: 4 });
      const storage = await postgresStorage(pool);
      onTestFinished(async () => {
        await storage.close();
        await pool.end();
      });
      return storage;
    };
  },
});
