import { assertSameVersion, markVersion } from "../../../../src/base/copies.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { SqlAccess } from "./copy.js";

/** The property under which a storage adapter keeps its SQL access. All loaded copies of the package share this symbol. */
const SQL_ACCESS = Symbol.for("loyalty-kit.place");

/**
 * Attaches SQL access to a storage adapter so that {@link getSqlAccess} can find it.
 * @returns the storage adapter.
 */
export function registerSqlAccess<Storage extends StorageAdapter>(
  storage: Storage,
  access: SqlAccess,
): Storage {
  return Object.defineProperty(markVersion(storage), SQL_ACCESS, { value: access, configurable: true });
}

/**
 * Returns the SQL access that is attached to a SQLite or Postgres storage adapter.
 * @throws {TypeError} if the storage adapter has no tables, as with in-memory storage, or was created by another version of the
 *   package.
 */
export function getSqlAccess(storage: StorageAdapter): SqlAccess {
  assertSameVersion(storage, "storage");
  const access: SqlAccess | undefined = Reflect.get(storage, SQL_ACCESS);
  if (access === undefined) throw new TypeError("expected a SQLite or Postgres storage");
  return access;
}
