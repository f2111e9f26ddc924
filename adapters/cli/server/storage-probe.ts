import { withTimeout } from "../../../src/concurrency/timeout.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";

const PATIENCE_MS = 2_000;

/**
 * Looks whether storage can work: a snapshot finds the tables of this release within 2 s.
 * @throws why it can't; an Error when it takes longer.
 */
export async function probe(storage: StorageAdapter): Promise<void> {
  const read = storage.snapshot((reader) => reader.isEmpty());
  await withTimeout(PATIENCE_MS, read, `storage took longer than ${PATIENCE_MS} ms`);
}
