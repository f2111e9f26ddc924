import { markVersion, refuseOtherVersion } from "../../../src/copies.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import type { SqlAccess } from "./copy.js";

/** A storage has its tables under this name, which every copy of the package in the process knows. */
const PLACE = Symbol.for("loyalty-kit.place");

/** Notes where a storage has its tables. */
export function registerSqlAccess<Storage extends StorageAdapter>(
  storage: Storage,
  place: SqlAccess,
): Storage {
  return Object.defineProperty(markVersion(storage), PLACE, { value: place, configurable: true });
}

/** @throws {TypeError} if the storage has no tables, as that in memory, or is of another version of the package. */
export function getSqlAccess(storage: StorageAdapter): SqlAccess {
  refuseOtherVersion(storage, "storage");
  const place: SqlAccess | undefined = Reflect.get(storage, PLACE);
  if (place === undefined) throw new TypeError("storage in SQLite or Postgres is needed");
  return place;
}
