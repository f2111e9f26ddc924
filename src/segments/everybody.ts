import type { ResolvedActor } from "../access/actor-schema.js";
import type { Step } from "../base/concurrency/step.js";
import { dayIn, LAST_DAY, midnightAfter, startOfDayBefore } from "../base/values/calendar-days.js";
import { runCostlyRead } from "../kernel/queues.js";
import type { Tenant } from "../kernel/tenant.js";
import type { Bitmap } from "../storage/bitmap.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { findAllMatches, findMatches } from "./matching.js";
import {
  type Cause,
  changeFollowed,
  type Followed,
  MAX_MOVES,
  type Move,
  type MoveCounts,
  moveMembers,
  timeActor,
} from "./moves.js";
import { filterOf } from "./schema.js";

/** Maximum number of slices before other organizations take their turn. */
const MAX_SLICES = 20;

/** The customers who will enter and leave a segment. */
interface SegmentMoves {
  readonly segment: StoredSegment;
  readonly entered: Bitmap;
  readonly left: Bitmap;
}

/**
 * Processes the next midnight. Customers enter a segment if they match it on the new day but didn't match it on the previous day,
 * and leave it in the reverse case. A customer whose data has changed since the last evaluation is moved later, when the event for
 * that change is processed.
 * @returns how many customers entered and left segments. `isDone` is `false` if work remains or if another process did the work.
 */
export async function runMidnight(
  tenant: Tenant,
  followedSegments: Followed,
): Promise<MoveCounts & { readonly isDone: boolean }> {
  const { organizationId, engine } = tenant;
  const { follower, segments, timeZone } = followedSegments;
  const { watermark: before, nextMidnight: at } = follower;
  if (!(await storeMemberCounts(tenant, followedSegments))) return noProgress;
  const moves = await readMoves(tenant, segments, function* (reader, segment) {
    const filterQuery = { organizationId, filter: filterOf(segment), isWholeDay: true };
    const matchesBefore = yield* findAllMatches(reader, { ...filterQuery, at: before });
    const matches = yield* findAllMatches(reader, { ...filterQuery, at });
    const members = yield* reader.segmentMembers(segment.id);
    return {
      segment,
      entered: matches.without(matchesBefore).without(members),
      left: matchesBefore.without(matches).and(members),
    };
  });
  const cause: Cause = { at, because: "time", actor: timeActor, day: dayIn(timeZone, at) };
  const moveCounts = await moveInSlices(tenant, followedSegments, moves, cause);
  if (!moveCounts.isDone) return moveCounts;
  // If there are no segments, all midnights up to today are run as one.
  const startOfToday = startOfDayBefore(timeZone, engine.segmentClock.trusted, 0);
  const watermark = segments.length === 0 ? Math.max(at, startOfToday) : at;
  const next = { ...follower, watermark, nextMidnight: midnightAfter(timeZone, watermark) };
  const isStored = await changeFollowed(tenant, follower, function* ({ tx }) {
    yield* tx.putSegmentFollower(next);
    return true;
  });
  return { ...moveCounts, isDone: isStored ?? false };
}

/**
 * Evaluates all customers after a change that can affect any of them, such as deleting a template.
 * @returns how many customers entered and left segments.
 */
export async function evaluateAll(
  tenant: Tenant,
  followedSegments: Followed,
  change: { readonly position: number; readonly at: number; readonly actor: ResolvedActor },
): Promise<MoveCounts> {
  const { organizationId } = tenant;
  const { follower, segments, timeZone } = followedSegments;
  const moves = await readMoves(tenant, segments, function* (reader, segment) {
    const at = follower.watermark;
    const filterQuery = { organizationId, filter: filterOf(segment), at, isWholeDay: true };
    const matches = yield* findAllMatches(reader, filterQuery);
    const members = yield* reader.segmentMembers(segment.id);
    // A customer with a removed tag is evaluated when the removal's event is processed.
    const removedTagHolders = yield* reader.holdersOfRemovedTags();
    const [entered, left] = [matches.without(members), members.without(matches)];
    return { segment, entered: entered.without(removedTagHolders), left: left.without(removedTagHolders) };
  });
  const { position, at, actor } = change;
  const cause: Cause = { at, because: "change", actor, day: dayIn(timeZone, at) };
  const moveCounts = await moveInSlices(tenant, followedSegments, moves, cause);
  if (moveCounts.isDone) {
    await changeFollowed(tenant, follower, ({ tx }) => tx.putSegmentFollower({ ...follower, position }));
  }
  return moveCounts;
}

/** Recounts the members of a segment that is marked for recounting, without emitting events. */
export async function recountMembers(
  tenant: Tenant,
  { follower }: Followed,
  recountedSegment: StoredSegment,
): Promise<void> {
  const { organizationId } = tenant;
  const filter = filterOf(recountedSegment);
  const filterQuery = { organizationId, filter, at: follower.watermark, isWholeDay: true };
  const members = await readWholeOrganization(tenant, (reader) => findAllMatches(reader, filterQuery));
  await changeFollowed(tenant, follower, function* ({ tx }) {
    const segment = yield* tx.findSegment(recountedSegment.slug);
    if (
      segment?.id !== recountedSegment.id ||
      segment.revision !== recountedSegment.revision ||
      !segment.isRecounting
    )
      return;
    const { users } = yield* tx.readTagSets([]);
    yield* tx.putSegmentMembers(segment.id, members.and(users));
    yield* tx.updateSegment({ ...segment, isRecounting: false });
  });
}

const noProgress = { entered: 0, left: 0, isDone: false };

/**
 * Runs a read over the whole organization, queued with other such reads. It reads committed data, which a replica may not have yet.
 */
function readWholeOrganization<T>(tenant: Tenant, work: (reader: StorageReader) => Step<T>): Promise<T> {
  const { engine, organizationId, isJoining } = tenant;
  // A host's transaction blocks other work, so it must not wait in the queue behind that work.
  return isJoining
    ? engine.storage.snapshot(organizationId, work)
    : runCostlyRead(engine, organizationId, work);
}

async function readMoves(
  tenant: Tenant,
  segments: readonly StoredSegment[],
  readSegmentMoves: (reader: StorageReader, segment: StoredSegment) => Step<SegmentMoves>,
): Promise<readonly SegmentMoves[]> {
  const moves: SegmentMoves[] = [];
  for (const segment of segments)
    if (segment.emitsEvents)
      moves.push(await readWholeOrganization(tenant, (reader) => readSegmentMoves(reader, segment)));
  return moves;
}

/**
 * Moves users in slices; users who leave come first.
 * @returns `isDone: false` if some users are left, or if another process moved them.
 */
async function moveInSlices(
  tenant: Tenant,
  { follower }: Followed,
  allMoves: readonly SegmentMoves[],
  cause: Cause,
): Promise<MoveCounts & { readonly isDone: boolean }> {
  const counts = { entered: 0, left: 0 };
  let slices = 0;
  for (const direction of ["left", "entered"] as const) {
    for (const { segment, [direction]: changedUsers } of allMoves) {
      for (let from = 0; ; ) {
        const ordinals = changedUsers.from(from, MAX_MOVES);
        const last = ordinals.at(-1);
        if (last === undefined) break;
        if (slices === MAX_SLICES) return { ...counts, isDone: false };
        const sliceCounts = await changeFollowed(tenant, follower, function* (change) {
          const { tx } = change;
          const users = yield* tx.usersByOrdinal(ordinals);
          const moves = users.map(
            (user): Move => ({ segment, user, enters: direction === "entered", cause }),
          );
          return yield* moveMembers(change, moves);
        });
        if (sliceCounts === null) return { ...counts, isDone: false };
        counts[direction] += sliceCounts[direction];
        from = last + 1;
        slices += 1;
      }
    }
  }
  return { ...counts, isDone: true };
}

/**
 * Records each segment's member count at the end of the day before a midnight, unless it is already recorded. For a segment that
 * emits events, moves on later days are subtracted, since changes may have been processed before the midnight.
 * @returns `false` if another process was faster.
 */
async function storeMemberCounts(
  tenant: Tenant,
  { follower, segments, timeZone }: Followed,
): Promise<boolean> {
  const { organizationId } = tenant;
  const at = follower.nextMidnight - 1;
  const day = dayIn(timeZone, at);
  const countedSegments: { readonly id: string; readonly members: number }[] = [];
  for (const segment of segments) {
    const { id } = segment;
    if (segment.createdAt > at) continue;
    const members = await readWholeOrganization(tenant, function* (reader) {
      const [storedDay] = yield* reader.segmentDays(id, day, day);
      if ((storedDay?.members ?? null) !== null) return null;
      if (!segment.emitsEvents)
        return (yield* findMatches(reader, { organizationId, filter: filterOf(segment), at }, 0, 0)).total;
      const memberCount = (yield* reader.segmentMembers(id)).count();
      const laterDays = yield* reader.segmentDays(id, day + 1, LAST_DAY);
      return laterDays.reduce((sum, { entered, left }) => sum - entered + left, memberCount);
    });
    if (members !== null) countedSegments.push({ id, members });
  }
  if (countedSegments.length === 0) return true;
  const isStored = await changeFollowed(tenant, follower, function* ({ tx }) {
    const existingIds = new Set((yield* tx.listSegments()).map(({ id }) => id));
    for (const { id, members } of countedSegments)
      if (existingIds.has(id)) yield* tx.recordMemberCount(id, day, members);
    return true;
  });
  return isStored ?? false;
}
