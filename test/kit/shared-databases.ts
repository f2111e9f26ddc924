import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import pg from "pg";
import { onTestFinished } from "vitest";
import { createPlace } from "../postgres/place.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { openForRun } from "./this-run.js";

/**
 * Creates an empty database of each kind that processes can share. Each returns a function that opens it like one
 * process.
 */
export const sharedDatabases = openForRun<() => Promise<() => Promise<StorageAdapter>>>({
  SQLite: async () => {
    const file = createTemporaryFile();
    return () => sqliteStorage(file, { synchronous: "NORMAL" });
  },
  Postgres: async () => {
    const place = await createPlace();
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
