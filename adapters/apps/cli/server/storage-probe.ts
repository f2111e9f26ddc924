import { withTimeout } from "../../../../src/base/concurrency/timeout.js";
import { ALL_ORGANIZATIONS } from "../../../../src/storage/cooldowns.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";

const PATIENCE_MS = 2_000;

/**
 * Checks that the storage works by reading this release's tables in a snapshot. Times out after 2 s.
 * @throws the storage's error, or an error about the timeout.
 */
export async function probe(storage: StorageAdapter): Promise<void> {
  const emptyCheck = storage.snapshot(ALL_ORGANIZATIONS, (reader) => reader.all.isEmpty());
  await withTimeout(PATIENCE_MS, emptyCheck, `storage didn't respond within ${PATIENCE_MS} ms`);
}
