import { markVersion, refuseOtherVersion } from "../../../src/copies.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import type { SqlPlace } from "./copy.js";

/** A storage has its tables under this name, which every copy of the package in the process knows. */
const PLACE = Symbol.for("loyalty-kit.place");

/** Notes where a storage has its tables. */
export function placed<Storage extends StorageAdapter>(storage: Storage, place: SqlPlace): Storage {
  return Object.defineProperty(markVersion(storage), PLACE, { value: place, configurable: true });
}

/** @throws {TypeError} when the storage has no tables, as that in memory, or is of another version of the package. */
export function placeOf(storage: StorageAdapter): SqlPlace {
  refuseOtherVersion(storage, "storage");
  const place: SqlPlace | undefined = Reflect.get(storage, PLACE);
  if (place === undefined) throw new TypeError("storage in SQLite or Postgres is needed");
  return place;
}
