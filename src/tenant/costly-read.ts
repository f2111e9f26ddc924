import { runLowPriority } from "../concurrency/event-loop.js";
import { runStep, type Step } from "../concurrency/step.js";
import type { SnapshotOptions, StorageReader } from "../storage/storage-adapter.js";
import { allRights } from "./caller-rights.js";
import type { Engine } from "./engine.js";

/**
 * Reads what may be all of an organization, in turn with the other such reads of the process, and after what takes less.
 * @param rights the caller's, which may have ended since the caller came. A replica may not know that yet: it is not asked for them.
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
