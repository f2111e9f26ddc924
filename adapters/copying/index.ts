import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import type { TableChecksum } from "../kysely/copying/checksum.js";
import { type CopyOptions, type CopyStep, copyTables } from "../kysely/copying/copy.js";
import { placeOf } from "../kysely/copying/places.js";

export type { CopyOptions, CopyStep, TableChecksum };

/**
 * Copies all organizations with everything that is kept of them from one storage to another, SQLite or Postgres, whatever
 * each is: with all ids, tokens, cursors, answers that are kept for idempotency keys. What is copied is of one state; what
 * changes in `from` meanwhile is not in it. Messages that wait to begin, or are being sent, are canceled in the copy. A copy that was cut short goes on where it was.
 * @param to empty, or what an earlier call with the same `from` has brought there. Nothing else may use it meanwhile.
 * @returns what each table has; both sides have been read again and compared.
 * @throws when `to` has something else, or another copy than of what `from` is now: empty it, and begin again.
 * @throws {TypeError} for storage in memory.
 * @example
 * import { copyStorage } from "loyalty-kit/copying";
 * import { postgresStorage } from "loyalty-kit/postgres";
 * import { sqliteStorage } from "loyalty-kit/sqlite";
 *
 * const [from, to] = [await sqliteStorage("cafe.db"), await postgresStorage("postgres://localhost/cafe")];
 * console.table(await copyStorage(from, to));
 */
export async function copyStorage(
  from: StorageAdapter,
  to: StorageAdapter,
  { onProgress = () => undefined, withPending = false }: CopyOptions = {},
): Promise<TableChecksum[]> {
  return copyTables(placeOf(from), placeOf(to), { onProgress, withPending });
}
