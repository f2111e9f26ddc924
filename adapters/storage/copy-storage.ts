import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import type { TableChecksum } from "../kysely/copying/checksum.js";
import { type CopyOptions, type CopyStep, copyTables } from "../kysely/copying/copy.js";
import { getSqlAccess } from "../kysely/copying/sql-access.js";

export type { CopyOptions, CopyStep, TableChecksum };

/**
 * Copies a whole database from one storage to another (SQLite or Postgres), with all ids, tokens, cursors and idempotency keys. It
 * copies one consistent state; later changes in `from` are not included. Messages that are waiting or being sent are canceled in
 * the copy. Calling it again with the same arguments resumes an interrupted copy.
 * @param to an empty database, or one that contains data from an interrupted copy with the same `from`. Nothing else may use it
 *   during the copy.
 * @returns a checksum for each table; both sides have been read again and compared.
 * @throws if `to` has other data, or a copy of an earlier state of `from`: empty it and start over.
 * @throws {TypeError} for in-memory storage.
 * @example
 * import { copyStorage } from "loyalty-kit/storage";
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
  return copyTables(getSqlAccess(from), getSqlAccess(to), { onProgress, withPending });
}
