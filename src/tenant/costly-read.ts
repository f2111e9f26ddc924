import { costly } from "../concurrency/event-loop.js";
import type { Step } from "../concurrency/step.js";
import type { SnapshotOptions, StorageReader } from "../storage/storage-adapter.js";
import type { Engine } from "./engine.js";

/**
 * Reads what may be all of an organization, in turn with the other such reads of the process, and after what takes less.
 * @throws what `work` throws; the reason of the signal; `storage_unavailable` when too many wait.
 */
export function costlyRead<T>(
  { storage, costlyReads }: Engine,
  organizationId: string,
  work: (reader: StorageReader) => Step<T>,
  options: SnapshotOptions = {},
): Promise<T> {
  const read = () => storage.snapshot((reader) => costly(() => work(reader)), options);
  return costlyReads.run(organizationId, read, options);
}
