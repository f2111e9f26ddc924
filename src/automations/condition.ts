import type { Step } from "../concurrency/step.js";
import type { SegmentFilter } from "../resources/segment-filter.js";
import { matching } from "../segments/matching.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";

/** Returns those of some users (at most 1,000) whom a filter matches at an instant; all of them without a filter. */
export function* matchedOf(
  reader: StorageReader,
  organizationId: string,
  filter: SegmentFilter | null,
  users: readonly StoredUser[],
  at: number,
): Step<ReadonlySet<string>> {
  if (filter === null || users.length === 0) return new Set(users.map(({ id }) => id));
  const { ordinals } = yield* matching(reader, { organizationId, filter, at }, 0, 1_000_000);
  const found = new Set(ordinals);
  return new Set(users.filter(({ ordinal }) => found.has(ordinal)).map(({ id }) => id));
}
