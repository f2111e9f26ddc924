import type { Step } from "../base/concurrency/step.js";
import { dayIn, LAST_DAY } from "../base/values/calendar-days.js";
import { zoneOf } from "../settings/schema.js";
import type { Bitmap } from "../storage/bitmap.js";
import type { StoredSegment, StoredSegmentFollower } from "../storage/saved-segments.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { findCustomersWithUnreadChanges } from "./backlog.js";
import { findAllMatches } from "./matching.js";
import { filterOf } from "./schema.js";

/** A segment whose stored members don't match its filter, as of the last evaluation. */
export interface WrongMembers {
  readonly segment: StoredSegment;
  /** The correct members, as opposed to the stored ones. */
  readonly members: Bitmap;
}

/**
 * Finds the segments whose stored members are wrong. Checks every segment that emits events, except for segments that the follower
 * still has to recount. Finds nothing if the follower still has too many events to process.
 * @param reader a reader that reads from a single snapshot.
 */
export function* wrongMembers(reader: StorageReader, organizationId: string): Step<WrongMembers[]> {
  const follower = yield* reader.findSegmentFollower();
  if (follower === null) return [];
  const unreadCustomers = yield* findCustomersWithUnreadChanges(reader, follower);
  if (unreadCustomers === null) return [];
  const wrongMembers: WrongMembers[] = [];
  for (const segment of yield* reader.listSegments()) {
    if (!segment.emitsEvents || segment.isRecounting) continue;
    const members = yield* findExpectedMembers(reader, organizationId, segment, follower, unreadCustomers);
    if (members !== null) wrongMembers.push({ segment, members });
  }
  return wrongMembers;
}

/** Corrects all segments that have wrong stored members, without emitting events. */
export function* repairMembers(tx: StorageTransaction, organizationId: string): Step<void> {
  for (const { segment, members } of yield* wrongMembers(tx, organizationId))
    yield* tx.putSegmentMembers(segment.id, members);
}

/**
 * Returns the correct members of a segment, or `null` if the stored members are correct.
 * @param unreadCustomers the customers whom the follower hasn't evaluated yet.
 */
function* findExpectedMembers(
  reader: StorageReader,
  organizationId: string,
  segment: StoredSegment,
  { watermark, nextMidnight }: StoredSegmentFollower,
  unreadCustomers: Bitmap,
): Step<Bitmap | null> {
  const filterQuery = { organizationId, filter: filterOf(segment), isWholeDay: true };
  const matches = yield* findAllMatches(reader, { ...filterQuery, at: watermark });
  const members = yield* reader.segmentMembers(segment.id);
  let wrongBits = xor(members, matches).without(unreadCustomers);
  if (wrongBits.count() === 0) return null;
  const timeZone = zoneOf(yield* reader.findSettings());
  const day = dayIn(timeZone, nextMidnight);
  if ((yield* reader.segmentDays(segment.id, day, LAST_DAY)).length > 0) {
    // The next midnight is in progress, and has already moved some customers.
    const next = yield* findAllMatches(reader, { ...filterQuery, at: nextMidnight });
    wrongBits = wrongBits.and(xor(members, next));
  }
  return wrongBits.count() === 0 ? null : members.without(wrongBits).or(matches.and(wrongBits));
}

function xor(a: Bitmap, b: Bitmap): Bitmap {
  return a.without(b).or(b.without(a));
}
