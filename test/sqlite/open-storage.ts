import Database from "better-sqlite3";
import type { StorageAdapter } from "loyalty-kit";
import { type SqliteOptions, sqliteStorage } from "loyalty-kit/sqlite";
import { onTestFinished, vi } from "vitest";
import { createTemporaryFile } from "./temporary-file.js";

/** Opens storage until the test ends. Default: in a new file. */
export async function open(
  file = createTemporaryFile(),
  options: SqliteOptions = {},
): Promise<StorageAdapter> {
  const storage = await sqliteStorage(file, options);
  onTestFinished(() => storage.close());
  return storage;
}

/** Opens another program's connection to the file until the test ends. It never waits for a lock. */
export function otherProgram(file: string): Database.Database {
  const database = new Database(file, { timeout: 0 });
  onTestFinished(() => {
    database.close();
  });
  return database;
}

/** Opens storage, and also returns its write connection, so that a test can make it fail. */
export async function openWithWriter(file = createTemporaryFile(), options: SqliteOptions = {}) {
  const pragma = vi.spyOn(Database.prototype, "pragma");
  const storage = await open(file, options);
  const writer = pragma.mock.contexts[pragma.mock.calls.findIndex(([text]) => text === "foreign_keys = on")];
  pragma.mockRestore();
  if (!(writer instanceof Database))
    throw new Error("the storage has no connection that checks foreign keys");
  return { storage, writer };
}
