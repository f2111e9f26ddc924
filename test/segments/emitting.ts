import type { SegmentFilter, StorageAdapter } from "loyalty-kit";
import { startOfDayBefore } from "../../src/values/calendar-days.js";

/** Saves a segment that emits events, before there are users. */
export async function emitting(
  storage: StorageAdapter,
  now: number,
  name: string,
  filter: SegmentFilter,
  timeZone = "UTC",
): Promise<string> {
  const id = `seg_${name}`;
  const midnight = startOfDayBefore(timeZone, now, 0);
  await storage.transaction(function* (tx) {
    if ((yield* tx.findSegmentMark("acme")) === null)
      yield* tx.putSegmentMark("acme", { settledThrough: midnight, lookedAt: now });
    yield* tx.insertSegment("acme", {
      ...{ id, slug: name, name, description: null, color: null, filter: JSON.stringify(filter) },
      ...{ emitsEvents: true, isSettling: false, revision: 1, toldSince: midnight },
      ...{ createdAt: now, updatedAt: now },
    });
  });
  return id;
}
