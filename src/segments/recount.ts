import type { Step } from "../base/concurrency/step.js";
import { midnightAfter, startOfDayBefore } from "../base/values/calendar-days.js";
import type { Tenant } from "../kernel/tenant.js";
import { zoneOf } from "../settings/schema.js";
import type { StoredSegment, StoredSegmentFollower } from "../storage/saved-segments.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { findAllMatches } from "./matching.js";
import { filterOf } from "./schema.js";

/*
 * The members of a segment that emits events are stored. When the segment's filter or the time zone changes, they are recounted as
 * of
 * now, and nothing is emitted. In an organization with many customers, the change only marks the segment, and its follower recounts
 * before it does anything else.
 */

/** Maximum number of customers for which the change itself recounts the members. */
const FEW_USERS = 5_000;

/**
 * Returns whether the organization has more than 5,000 customers. That is too many to recount a segment's members within the
 * transaction that changes the segment.
 */
export function* hasManyUsers(reader: StorageReader): Step<boolean> {
  return (yield* reader.readTagSets([])).users.count() > FEW_USERS;
}

export function* ensureFollower(tx: StorageTransaction, tenant: Tenant): Step<StoredSegmentFollower> {
  const { engine } = tenant;
  const existingFollower = yield* tx.findSegmentFollower();
  if (existingFollower !== null) return existingFollower;
  const timeZone = zoneOf(yield* tx.findSettings());
  const watermark = startOfDayBefore(timeZone, engine.segmentClock.trusted, 0);
  const follower = { position: null, watermark, nextMidnight: midnightAfter(timeZone, watermark) };
  yield* tx.putSegmentFollower(follower);
  return follower;
}

/**
 * Makes the follower start or stop reading events, depending on whether any segment emits events. A follower that starts reading
 * begins after the newest event.
 */
export function* adjustFollower(tx: StorageTransaction, tenant: Tenant): Step<void> {
  const follower = yield* ensureFollower(tx, tenant);
  const isEmitting = (yield* tx.listSegments()).some(({ emitsEvents }) => emitsEvents);
  if (isEmitting === (follower.position !== null)) return;
  const position = isEmitting ? yield* tx.newestEventPosition() : null;
  yield* tx.putSegmentFollower({ ...follower, position });
}

/**
 * Recounts the members of segments that emit events.
 * @param hasTime `true` to recount the members now, or `false` if there are too many customers. If `false`, the segments are only
 *   marked, and the follower recounts them later.
 */
export function* recount(
  tx: StorageTransaction,
  organizationId: string,
  segments: readonly StoredSegment[],
  hasTime: boolean,
): Step<void> {
  const follower = yield* tx.findSegmentFollower();
  if (follower === null) return;
  for (const segment of segments) {
    const revision = segment.revision + 1;
    yield* tx.updateSegment({ ...segment, revision, isRecounting: !hasTime });
    if (!hasTime) continue;
    const at = follower.watermark;
    const filterQuery = { organizationId, filter: filterOf(segment), at, isWholeDay: true };
    yield* tx.putSegmentMembers(segment.id, yield* findAllMatches(tx, filterQuery));
  }
}

/**
 * Recounts all segments that emit events. Called after the organization's time zone has changed, because days begin at different
 * times in the new time zone, so different customers might match.
 * @returns whether the follower still has to do the recount.
 */
export function* applyTimeZoneChange(tx: StorageTransaction, tenant: Tenant): Step<boolean> {
  const { organizationId, engine } = tenant;
  const follower = yield* tx.findSegmentFollower();
  if (follower === null) return false;
  const timeZone = zoneOf(yield* tx.findSettings());
  // The watermark never goes back: a midnight that has been run isn't run again in the new time zone.
  const today = startOfDayBefore(timeZone, engine.segmentClock.trusted, 0);
  const watermark = Math.max(follower.watermark, today);
  const nextMidnight = midnightAfter(timeZone, watermark);
  yield* tx.putSegmentFollower({ ...follower, watermark, nextMidnight });
  const emitting = (yield* tx.listSegments()).filter(({ emitsEvents }) => emitsEvents);
  const hasTime = tenant.isJoining || !(yield* hasManyUsers(tx));
  yield* recount(tx, organizationId, emitting, hasTime);
  return emitting.length > 0 && !hasTime;
}
