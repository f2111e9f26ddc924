import { setTimeout as sleep } from "node:timers/promises";
import { isLoyaltyError } from "../../../../src/base/errors.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { Output } from "../terminal/output.js";
import type { Database, OpenOptions } from "./database.js";

/** Pause before the first retry, in milliseconds. Each later pause is twice as long, up to the maximum. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5_000;

/**
 * Opens a database, retrying while it is unavailable.
 * @param waiting `patience` is how long to retry, in milliseconds. `stop` is a promise that ends the wait when it resolves.
 * @returns the opened storage, or `null` if `stop` ended the wait.
 * @throws {CommandError} if the database doesn't become available in time, or can't be opened for any other reason.
 */
export async function openWithRetry(
  database: Database,
  options: OpenOptions,
  { patience, stop }: { readonly patience: number; readonly stop: Promise<void> },
  output: Output,
): Promise<StorageAdapter | null> {
  const end = performance.now() + patience;
  const stopping = new AbortController();
  void stop.then(() => stopping.abort());
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await database.open(options);
    } catch (error) {
      const remainingMs = end - performance.now();
      if (!(error instanceof Error && isLoyaltyError(error.cause, "storage_unavailable"))) throw error;
      if (remainingMs <= 0) throw error;
      if (pause === FIRST_PAUSE) output.note(`loyalty-kit: waiting for the database: ${error.message}`);
      await sleep(Math.min(pause, remainingMs), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
      if (stopping.signal.aborted) return null;
    }
  }
}
