import type { Step } from "../concurrency/step.js";
import { filterOf } from "../resources/segment.js";
import { zoneOf } from "../resources/settings.js";
import type { Bitmap } from "../storage/bitmap.js";
import type { StoredSegment, StoredSegmentMark } from "../storage/saved-segments.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { startOfDayBefore } from "../values/calendar-days.js";
import { midnightAfter } from "./judged-at.js";
import { allMatching } from "./matching.js";

/** A segment whose members, as they were told, are not those that it had when time was told last. */
export interface WronglyTold {
  readonly segment: StoredSegment;
  /** The members as they should have been told. */
  readonly members: Bitmap;
}

/**
 * Finds the segments whose members are wrong as they were told. It evaluates each segment that emits events; those whose members
 * are being counted anew are left out.
 * @param reader sees one state.
 */
export function* wronglyTold(reader: StorageReader, organizationId: string): Step<WronglyTold[]> {
  const mark = yield* reader.findSegmentWatermark(organizationId);
  if (mark === null) return [];
  const timeZone = zoneOf(yield* reader.findSettings(organizationId));
  const found: WronglyTold[] = [];
  for (const segment of yield* reader.listSegments(organizationId)) {
    if (!segment.emitsEvents || segment.isRecounting) continue;
    const members = yield* rightMembers(reader, organizationId, segment, mark, timeZone);
    if (members !== null) found.push({ segment, members });
  }
  return found;
}

/** Makes the members of segments what they should have been told to be. Nobody hears of it. */
export function* mendTold(tx: StorageTransaction, organizationId: string): Step<void> {
  for (const { segment, members } of yield* wronglyTold(tx, organizationId))
    yield* tx.putSegmentMembers(organizationId, segment.id, members);
}

/** The members as they should have been told; `null` where they are so. */
function* rightMembers(
  reader: StorageReader,
  organizationId: string,
  segment: StoredSegment,
  { settledThrough, lookedAt }: StoredSegmentMark,
  timeZone: string,
): Step<Bitmap | null> {
  const at = Math.max(settledThrough, segment.toldSince);
  const question = { organizationId, filter: filterOf(segment), at };
  const expected = yield* allMatching(reader, question);
  const told = yield* reader.segmentMembers(organizationId, segment.id);
  // Customers who changed since were told up to a later midnight.
  const later = yield* reader.usersEvaluatedThrough(organizationId, at + 1);
  let wrong = difference(told, expected).without(later);
  if (wrong.count() > 0 && startOfDayBefore(timeZone, lookedAt, 0) > at) {
    // A sweep that is under way has told some of the next midnight already.
    const next = yield* allMatching(reader, { ...question, at: midnightAfter(timeZone, at) });
    wrong = wrong.and(difference(told, next));
  }
  return wrong.count() === 0 ? null : told.without(wrong).or(expected.and(wrong));
}

function difference(one: Bitmap, other: Bitmap): Bitmap {
  return one.without(other).or(other.without(one));
}
