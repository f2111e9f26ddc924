import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import pg from "pg";

/** Opens the storage at a URL of Postgres, or in a file of SQLite. */
export async function openStorage(database: string): Promise<StorageAdapter> {
  if (!database.startsWith("postgres")) return sqliteStorage(database);
  const pool = new pg.Pool({ connectionString: database, max: 4 });
  // The server closes its connections when it stops.
  pool.on("error", () => {});
  const storage = await postgresStorage(pool);
  const close = storage.close.bind(storage);
  storage.close = () => close().then(() => pool.end());
  return storage;
}
