import { yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import { isStorable } from "../base/values/text.js";
import type { Tenant } from "../kernel/tenant.js";
import type { EventHead, EventRange } from "../storage/events.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/** Number of positions that one read searches. */
const WINDOW = 5_000;

/** An event ID with a version 7 UUID, whose first 48 bits are its creation time. */
const UUID_V7 = /^evt_([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i;

/**
 * Finds an event in the outbox by its ID. IDs aren't indexed, but a UUIDv7's timestamp shows roughly where the event is, and
 * reading that part of the outbox usually finds it. Otherwise, the search expands outward from that position until it has covered
 * the whole outbox. IDs from other sources, and IDs of events that don't exist, always require this full search, which queues with
 * other costly reads.
 * @returns the event, or `null` if it isn't in the outbox.
 */
export async function findEventById(tenant: Tenant, id: string): Promise<EventHead | null> {
  if (!isStorable(id)) return null;
  const near = await tenant.read(function* (reader) {
    const [first] = yield* findRanges(reader, id);
    return first === undefined ? null : yield* reader.findEventIn(id, first);
  });
  if (near !== null) return near;
  return tenant.read(function* (reader) {
    for (const range of yield* findRanges(reader, id)) {
      const event = yield* reader.findEventIn(id, range);
      if (event !== null) return event;
      yield* yieldIfDue();
    }
    return null;
  }, true);
}

/**
 * Uses binary search to find the outbox position just before the first event created at or after the given time.
 * @param time milliseconds since the Unix epoch.
 */
export function* findPositionBefore(reader: StorageReader, time: number): Step<number> {
  let low = 0;
  let high = yield* reader.newestEventPosition();
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = yield* reader.listEventHeads(null, middle, 1);
    if (event === undefined || event.createdAt >= time) high = middle;
    else low = event.position;
  }
  return low;
}

/** Returns ranges that cover the whole outbox, starting with the range that most likely contains the event. */
function* findRanges(reader: StorageReader, id: string): Step<Iterable<EventRange>> {
  const [oldest] = yield* reader.listEventHeads(null, 0, 1);
  if (oldest === undefined) return [];
  const start = oldest.position - 1;
  const end = yield* reader.newestEventPosition();
  const time = timeIn(id);
  const near = time === null ? end : yield* findPositionBefore(reader, time);
  return rangesAround(start, Math.max(near, start), end);
}

/**
 * Splits the positions between `start` and `end` into ranges. Yields the range around `middle` first, then ranges farther and
 * farther from it in both directions.
 */
export function* rangesAround(start: number, middle: number, end: number): Generator<EventRange> {
  const reach = WINDOW / 2;
  let [after, to] = [Math.max(middle - reach, start), Math.min(middle + reach, end)];
  yield { after, to };
  while (after > start || to < end) {
    const [before, behind] = [Math.max(after - WINDOW, start), Math.min(to + WINDOW, end)];
    if (behind > to) yield { after: to, to: behind };
    if (before < after) yield { after: before, to: after };
    [after, to] = [before, behind];
  }
}

function timeIn(id: string): number | null {
  const [, high, low] = UUID_V7.exec(id) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
}
