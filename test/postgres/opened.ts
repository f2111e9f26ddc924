import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { addCleanup } from "../kit/afterwards.js";
import { createPlacePool, type KeptPlace } from "./kept-places.js";

/** Opens storage without any rows, which has its place to itself until it is closed. */
export const newStorage = createStorageOpener(createPlacePool(async () => {}));

/**
 * Returns a function that opens storage in one of the places, and gives the place back when the storage is closed: when the
 * tests of the file are done, unless a test closes it before.
 */
export function createStorageOpener(newPlace: () => Promise<KeptPlace>): () => Promise<StorageAdapter> {
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
