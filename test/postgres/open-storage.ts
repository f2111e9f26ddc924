import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { addCleanup } from "../kit/cleanup.js";
import { createPlacePool, type PooledPlace } from "./place-pool.js";

/** Opens storage without any rows, which has a place to itself until it is closed. */
export const newStorage = createStorageOpener(createPlacePool(async () => {}));

/**
 * Returns a function that opens storage in one of the places, and returns the place when the storage is
 * closed: after the tests of the file, unless a test closes it earlier.
 */
export function createStorageOpener(newPlace: () => Promise<PooledPlace>): () => Promise<StorageAdapter> {
  return async () => {
    const { pool, returnPlace: giveBack } = await newPlace();
    const storage = await postgresStorage(pool);
    const close = storage.close.bind(storage);
    let closing: Promise<void> | undefined;
    storage.close = () => {
      closing ??= close().then(giveBack);
      return closing;
    };
    addCleanup(() => storage.close());
    return storage;
  };
}
