import type { Step } from "../concurrency/step.js";
import type { Recorder } from "../events/recording.js";
import { allMatching, matching } from "../segments/matching.js";
import type { Bitmap } from "../storage/bitmap.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { dayIn, LAST_DAY } from "../values/calendar-days.js";
import { type Movers, move } from "./moves.js";

/** The midnight that is to be settled next, and the one up to which all is. */
export interface Due {
  readonly after: number;
  readonly at: number;
  readonly timeZone: string;
}

/** Who is to move at a midnight. */
export interface Found {
  readonly segment: StoredSegment;
  readonly entered: Bitmap;
  readonly left: Bitmap;
}

/** Finds who is to move at a midnight, without those whom a change has settled. */
export function* movesOf(
  reader: StorageReader,
  organizationId: string,
  segment: StoredSegment,
  at: number,
): Step<Found> {
  const { id, filter } = segment;
  const members = yield* allMatching(reader, { organizationId, filter: JSON.parse(filter), at });
  const told = yield* reader.segmentMembers(organizationId, id);
  const settled = yield* reader.usersEvaluatedThrough(organizationId, at);
  return {
    segment,
    entered: members.without(told).without(settled),
    left: told.without(members).without(settled),
  };
}

/**
 * Returns how many members a segment had at the end of a day; `null` where that is known. A change may have come before the
 * sweep, so the moves of later days are taken back.
 */
export function* membersOf(
  reader: StorageReader,
  organizationId: string,
  { id, filter, emitsEvents }: StoredSegment,
  at: number,
  day: number,
): Step<number | null> {
  const [known] = yield* reader.segmentDays(organizationId, id, day, day);
  if ((known?.members ?? null) !== null) return null;
  if (emitsEvents) {
    const told = (yield* reader.segmentMembers(organizationId, id)).count();
    const later = yield* reader.segmentDays(organizationId, id, day + 1, LAST_DAY);
    return later.reduce((members, { entered, left }) => members - entered + left, told);
  }
  return (yield* matching(reader, { organizationId, filter: JSON.parse(filter), at }, 0, 0)).total;
}

/** Some of those who are to move at a midnight. */
interface Slice {
  readonly organizationId: string;
  readonly segment: StoredSegment;
  readonly due: Due;
  readonly side: "entered" | "left";
  readonly ordinals: readonly number[];
}

/** Moves some users, but for those who are gone, and those whom somebody else has settled or moved since they were looked up. */
export function* moveSome(
  tx: StorageTransaction,
  record: Recorder,
  { organizationId, segment, due: { at, timeZone }, side, ordinals }: Slice,
): Step<{ readonly entered: number; readonly left: number }> {
  const none: Movers = { segment, entered: [], left: [] };
  if (!(yield* isThere(tx, organizationId, segment))) return { entered: 0, left: 0 };
  const settled = new Set(
    (yield* tx.userWatermarks(organizationId, ordinals)).flatMap(({ userOrdinal, through }) =>
      through >= at ? [userOrdinal] : [],
    ),
  );
  const users = yield* tx.usersByOrdinal(
    organizationId,
    ordinals.filter((ordinal) => !settled.has(ordinal)),
  );
  const cause = { at, because: "time", day: dayIn(timeZone, at) } as const;
  return yield* move(tx, organizationId, [{ ...none, [side]: users }], cause, record);
}

/** Returns whether a segment is still as it was: another filter of it would have other members. */
export function* isThere(
  tx: StorageTransaction,
  organizationId: string,
  segment: StoredSegment,
): Step<boolean> {
  const now = yield* tx.findSegment(organizationId, segment.slug);
  return now?.id === segment.id && now.revision === segment.revision && !now.isRecounting;
}
