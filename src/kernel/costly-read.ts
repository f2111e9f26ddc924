import { runLowPriority } from "../base/concurrency/event-loop.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import type { SnapshotOptions, StorageReader } from "../storage/storage-adapter.js";
import { allRights } from "./caller-rights.js";
import type { Engine } from "./engine.js";

/**
 * Runs a read that might cover a whole organization. The read queues behind other costly reads in this process, and yields to
 * smaller reads.
 * @param rights the caller's rights, which are checked again because they might have been revoked since the call began. The check
 *   never uses a replica, because replicas can lag.
 * @throws whatever `work` throws, the signal's abort reason, `storage_unavailable` if the queue is full, or an error from
 *   {@link CallerRights.renew}.
 */
export function runCostlyRead<T>(
  { storage, costlyReads, clock }: Engine,
  organizationId: string,
  work: (reader: StorageReader) => Step<T>,
  options: SnapshotOptions = {},
  rights = allRights,
): Promise<T> {
  const read = async () => {
    if (rights.hasRow) await runStep(rights.renew(storage, organizationId, clock()));
    return storage.snapshot((reader) => runLowPriority(() => work(reader)), options);
  };
  return costlyReads.run(organizationId, read, options);
}
