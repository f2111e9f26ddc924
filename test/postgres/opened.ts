import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { keptPlaces } from "./kept-places.js";

const newPlace = keptPlaces(async () => {});

/** Storage without any rows, in a place of its own until it is closed. */
export async function newStorage(): Promise<StorageAdapter> {
  const { pool, giveBack } = await newPlace();
  const storage = await postgresStorage(pool);
  const close = storage.close.bind(storage);
  let closing: Promise<void> | undefined;
  storage.close = () => {
    closing ??= close().then(giveBack);
    return closing;
  };
  return storage;
}
