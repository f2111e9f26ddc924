import { runLowPriority } from "../concurrency/event-loop.js";
import { runStep, type Step } from "../concurrency/step.js";
import type { SnapshotOptions, StorageReader } from "../storage/storage-adapter.js";
import { allRights } from "./caller-rights.js";
import type { Engine } from "./engine.js";

/**
 * Runs a read that may cover a whole organization. It queues with the other such reads of the process, and yields to smaller ones.
 * @param rights the caller's rights, which may have ended since the call began. They are never read from a replica, which may be
 *   behind.
 * @throws what `work` throws; the reason of the signal; `storage_unavailable` if too many wait; as {@link CallerRights.renew}.
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
