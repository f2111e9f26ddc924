import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import { type CopyOptions, type CopyStep, copyTables } from "./kysely/copying/copy.js";
import type { TableChecksum } from "./kysely/copying/row-table.js";
import { getSqlAccess } from "./kysely/copying/sql-access.js";

export type { CopyOptions, CopyStep, TableChecksum };

/**
 * Copies a whole database from one storage adapter to another (SQLite or Postgres), including all IDs, tokens, cursors, and
 * idempotency keys. The copy is a consistent snapshot of `from` and doesn't include later changes. Messages that are waiting or
 * being sent are canceled in the copy, unless `withPending` is true. To resume an interrupted copy, call this function again with
 * the same arguments.
 * @param to an empty database, or one that contains only an interrupted copy of the same `from`. Don't use it for anything else
 *   during the copy.
 * @returns a checksum for each table. After copying, both databases are read again so that the checksums can be compared.
 * @throws if `to` contains other data, or a copy of an earlier state of `from`. In that case, empty the database and start over.
 * @throws {TypeError} if either argument is the in-memory storage adapter.
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
