import { withTimeout } from "../../../src/concurrency/timeout.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";

const PATIENCE_MS = 2_000;

/**
 * Checks that the storage can work: a snapshot must find this release's tables within 2 s.
 * @throws the storage's error, or a timeout error.
 */
export async function probe(storage: StorageAdapter): Promise<void> {
  const read = storage.snapshot((reader) => reader.isEmpty());
  await withTimeout(PATIENCE_MS, read, `storage took longer than ${PATIENCE_MS} ms`);
}
