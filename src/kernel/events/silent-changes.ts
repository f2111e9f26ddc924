import type { Step } from "../../base/concurrency/step.js";
import { uuidV7 } from "../../base/values/ids.js";
import { splitIntoBatches } from "../../storage/batches.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";

/**
 * Records that a change affects the given users or passes even though it records no event. The segment follower then re-evaluates
 * them without emitting events for the segments that they enter or leave. Costs only one read if no segment emits events.
 */
export function* noteSilentChange(
  tx: StorageTransaction,
  organizationId: string,
  names: readonly string[],
): Step<void> {
  if (names.length === 0) return;
  const follower = yield* tx.findSegmentFollower(organizationId);
  if (follower === null || follower.position === null) return;
  for (const some of splitIntoBatches(names))
    yield* tx.insertSilentChange(organizationId, { id: uuidV7(), names: JSON.stringify(some) });
}
