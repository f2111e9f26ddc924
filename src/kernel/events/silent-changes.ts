import type { Step } from "../../base/concurrency/step.js";
import { uuidV7 } from "../../base/values/ids.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";

/** Maximum number of names per silent change. */
const MAX_NAMES = 1_000;

/**
 * Records that a change affects these users or passes even though it records no event. The segment follower then evaluates them
 * without emitting moves. Costs only one read if no segment emits events.
 */
export function* noteSilentChange(
  tx: StorageTransaction,
  organizationId: string,
  names: readonly string[],
): Step<void> {
  if (names.length === 0) return;
  const follower = yield* tx.findSegmentFollower(organizationId);
  if (follower === null || follower.position === null) return;
  for (let at = 0; at < names.length; at += MAX_NAMES) {
    const some = JSON.stringify(names.slice(at, at + MAX_NAMES));
    yield* tx.insertSilentChange(organizationId, { id: uuidV7(), names: some });
  }
}
