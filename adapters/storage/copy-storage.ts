import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import type { TableChecksum } from "./kysely/copying/checksum.js";
import { type CopyOptions, type CopyStep, copyTables } from "./kysely/copying/copy.js";
import { getSqlAccess } from "./kysely/copying/sql-access.js";

export type { CopyOptions, CopyStep, TableChecksum };

/**
 * Copies a whole database, including all ids, tokens, cursors and idempotency keys, from one storage to another (SQLite or
 * Postgres). It copies one consistent state of `from` and ignores later changes. Messages that are waiting or being sent are
 * canceled in the copy. To resume an interrupted copy, call it again with the same arguments.
 * @param to an empty database, or one that contains data from an interrupted copy with the same `from`. Nothing else may use it
 *   during the copy.
 * @returns a checksum for each table. After the copy, both databases are read again and compared.
 * @throws if `to` contains other data, or a copy of an earlier state of `from`. In that case, empty it and start over.
 * @throws {TypeError} if either storage is in memory.
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
