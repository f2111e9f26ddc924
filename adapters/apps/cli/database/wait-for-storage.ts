import { setTimeout as sleep } from "node:timers/promises";
import { isLoyaltyError } from "../../../../src/base/errors.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { Output } from "../terminal/output.js";
import type { Database, OpenOptions } from "./database.js";

/** Pause before the first retry, in milliseconds. Each later pause is twice as long, up to the maximum. */
const INITIAL_DELAY_MS = 250;
const MAX_DELAY_MS = 5_000;

/**
 * Opens a database, retrying while it is unavailable.
 * @param waiting `timeoutMs` is how long to retry, in milliseconds. `stop` is a promise that ends the wait when it resolves.
 * @returns the opened storage, or `null` if `stop` ended the wait.
 * @throws {CommandError} if the database doesn't become available in time, or can't be opened for any other reason.
 */
export async function openWithRetry(
  database: Database,
  options: OpenOptions,
  { timeoutMs, stop }: { readonly timeoutMs: number; readonly stop: Promise<void> },
  output: Output,
): Promise<StorageAdapter | null> {
  const deadline = performance.now() + timeoutMs;
  const abortController = new AbortController();
  void stop.then(() => abortController.abort());
  for (let delayMs = INITIAL_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
    try {
      return await database.open(options);
    } catch (error) {
      const remainingMs = deadline - performance.now();
      if (!(error instanceof Error && isLoyaltyError(error.cause, "storage_unavailable"))) throw error;
      if (remainingMs <= 0) throw error;
      if (delayMs === INITIAL_DELAY_MS)
        output.note(`loyalty-kit: waiting for the database: ${error.message}`);
      await sleep(Math.min(delayMs, remainingMs), undefined, { signal: abortController.signal }).catch(
        () => undefined,
      );
      if (abortController.signal.aborted) return null;
    }
  }
}
