import type { Step } from "../concurrency/step.js";
import type { SegmentMembershipChange } from "../resources/segment-move.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { timestamp } from "../values/clock.js";

/** Storage takes at most this many users at a time. */
export const MOST_MOVES = 1_000;

/** A user who enters or leaves a segment. */
export type Mover = Pick<StoredUser, "id" | "ordinal">;

/** Those who enter and leave a segment. */
export interface Movers {
  readonly segment: StoredSegment;
  readonly entered: readonly Mover[];
  readonly left: readonly Mover[];
}

/** When somebody moves, and by what. */
export interface Cause {
  readonly at: number;
  readonly because: SegmentMembershipChange["because"];
  /** The day of the organization's calendar that the numbers belong to. */
  readonly day: number;
}

/** Tells of somebody who moves. */
export type Tell = (type: "segment.entered" | "segment.left", data: SegmentMembershipChange) => void;

/**
 * Makes users members of segments or takes them out, and tells of each whom that changed: first of all who left, then of who entered,
 * in the order of the segments. The numbers of the day count them.
 * @param tell `null` notes it silently, and in no numbers.
 * @returns those whom it changed.
 */
export function* move(
  tx: StorageTransaction,
  organizationId: string,
  moves: readonly Movers[],
  cause: Cause,
  tell: Tell | null,
): Step<{ readonly entered: number; readonly left: number }> {
  const sum = { entered: 0, left: 0 };
  const changed: Movers[] = [];
  const day = tell === null ? null : cause.day;
  for (const { segment, entered, left } of moves) {
    if (entered.length + left.length === 0) continue;
    changed.push({
      segment,
      left: yield* changedOf(tx, organizationId, segment, left, false, day),
      entered: yield* changedOf(tx, organizationId, segment, entered, true, day),
    });
  }
  if (tell === null) return sum;
  const at = timestamp(cause.at);
  for (const [side, type] of [
    ["left", "segment.left"],
    ["entered", "segment.entered"],
  ] as const) {
    for (const { segment, [side]: users } of changed) {
      const { id, slug, name } = segment;
      for (const user of users)
        tell(type, { segment: { id, slug, name }, userId: user.id, at, because: cause.because });
      sum[side] += users.length;
    }
  }
  return sum;
}

function* changedOf(
  tx: StorageTransaction,
  organizationId: string,
  { id }: StoredSegment,
  users: readonly Mover[],
  isMember: boolean,
  day: number | null,
): Step<readonly Mover[]> {
  if (users.length === 0) return users;
  const [only] = users;
  if (users.length === 1 && only !== undefined) {
    const moved = yield* tx.changeSegmentMembers(organizationId, id, [only.ordinal], isMember, day);
    return moved.length === 0 ? [] : users;
  }
  const changed: number[] = [];
  for (let at = 0; at < users.length; at += MOST_MOVES) {
    const ordinals = users.slice(at, at + MOST_MOVES).map(({ ordinal }) => ordinal);
    changed.push(...(yield* tx.changeSegmentMembers(organizationId, id, ordinals, isMember, day)));
  }
  if (changed.length === users.length) return users;
  const moved = new Set(changed);
  return users.filter(({ ordinal }) => moved.has(ordinal));
}
