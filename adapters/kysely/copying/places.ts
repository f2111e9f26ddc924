import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import type { SqlPlace } from "./copy.js";

const places = new WeakMap<StorageAdapter, SqlPlace>();

/** Notes where a storage has its tables. */
export function placed<Storage extends StorageAdapter>(storage: Storage, place: SqlPlace): Storage {
  places.set(storage, place);
  return storage;
}

/** @throws {TypeError} when the storage has no tables, as that in memory. */
export function placeOf(storage: StorageAdapter): SqlPlace {
  const place = places.get(storage);
  if (place === undefined) throw new TypeError("storage in SQLite or Postgres is needed");
  return place;
}
