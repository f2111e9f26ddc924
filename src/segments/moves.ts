import { type ResolvedActor, resolveActor } from "../access/actor-schema.js";
import type { Step } from "../base/concurrency/step.js";
import { timestamp } from "../base/values/clock.js";
import type { Change, ChangeWork, Tenant } from "../kernel/tenant.js";
import type { StoredSegment, StoredSegmentFollower } from "../storage/saved-segments.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import type { SegmentMembershipChange } from "./schema.js";

/** Maximum number of users to add to or remove from a segment per storage call. */
export const MAX_MOVES = 1_000;

/** The actor recorded for moves caused only by the passage of time. */
export const timeActor = resolveActor({ kind: "worker", id: "segments" });

/** Why and when a customer entered or left a segment. */
export interface Cause {
  readonly at: number;
  readonly because: SegmentMembershipChange["because"];
  readonly actor: ResolvedActor;
  /** The day, in the organization's calendar, on which the move is counted. */
  readonly day: number;
}

/** A user who is entering or leaving a segment. */
export interface Move {
  readonly segment: StoredSegment;
  readonly user: Pick<StoredUser, "id" | "ordinal">;
  readonly enters: boolean;
  /** Why and when the user moved, or `null` for a silent move, which emits no event and isn't counted in statistics. */
  readonly cause: Cause | null;
}

/** An organization's segments, its time zone, and its follower, which records how far the segments have been evaluated. */
export interface Followed {
  readonly follower: StoredSegmentFollower;
  /** All of the organization's segments, oldest first. */
  readonly segments: readonly StoredSegment[];
  readonly timeZone: string;
}

/** How many times users entered and left segments. */
export interface MoveCounts {
  readonly entered: number;
  readonly left: number;
}

/**
 * Runs a change that advances the organization's segment follower, unless another process has advanced it in the meantime.
 * @returns the change's result, or `null` if the follower has advanced since it was read. In that case, `work` isn't run.
 */
export function changeFollowed<T>(
  tenant: Tenant,
  { position, watermark }: StoredSegmentFollower,
  work: ChangeWork<T>,
): Promise<T | null> {
  return tenant.change(["segments.follow"], function* (change) {
    const now = yield* change.tx.findSegmentFollower();
    if (now?.position !== position || now.watermark !== watermark) return null;
    return yield* work(change);
  });
}

/**
 * Adds users to segments, removes users from segments, and records an event for each move, in order. Skips moves that have already
 * been made, and moves whose user or segment no longer exists.
 * @returns how many events were recorded for users who entered segments, and how many for users who left.
 */
export function* moveMembers({ tx, record }: Change, moves: readonly Move[]): Step<MoveCounts> {
  const counts = { entered: 0, left: 0 };
  if (moves.length === 0) return counts;
  const validMoves = yield* filterValidMoves(tx, moves);
  const changedMoves = new Set<Move>();
  for (const group of groupAlikeMoves(validMoves)) {
    for (let at = 0; at < group.length; at += MAX_MOVES)
      for (const move of yield* changeMembers(tx, group.slice(at, at + MAX_MOVES))) changedMoves.add(move);
  }
  for (const move of validMoves) {
    const { segment, user, enters, cause } = move;
    if (cause === null || !changedMoves.has(move)) continue;
    const { id, slug, name } = segment;
    const data = {
      segment: { id, slug, name },
      userId: user.id,
      at: timestamp(cause.at),
      because: cause.because,
    };
    record(enters ? "segment.entered" : "segment.left", data, undefined, cause.actor);
    counts[enters ? "entered" : "left"] += 1;
  }
  return counts;
}

/** Returns the moves whose user exists and whose segment has the same filter and still emits events. */
function* filterValidMoves(tx: StorageTransaction, moves: readonly Move[]): Step<readonly Move[]> {
  const segments = new Map((yield* tx.listSegments()).map((segment) => [segment.id, segment]));
  const ordinals = [...new Set(moves.map(({ user }) => user.ordinal))];
  const users = new Set<number>();
  for (let at = 0; at < ordinals.length; at += MAX_MOVES) {
    const existingUsers = yield* tx.usersByOrdinal(ordinals.slice(at, at + MAX_MOVES));
    for (const { ordinal } of existingUsers) users.add(ordinal);
  }
  return moves.flatMap((move) => {
    const segment = segments.get(move.segment.id);
    const isSame = segment?.emitsEvents && segment.revision === move.segment.revision;
    return isSame && users.has(move.user.ordinal) ? [{ ...move, segment }] : [];
  });
}

/** Groups the moves by segment, direction and day. */
function groupAlikeMoves(moves: readonly Move[]): Iterable<readonly Move[]> {
  const groups = new Map<string, Move[]>();
  for (const move of moves) {
    const key = `${move.segment.id} ${move.enters} ${move.cause?.day ?? ""}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [move]);
    else group.push(move);
  }
  return groups.values();
}

/**
 * @param moves the moves of one group.
 * @returns the moves that changed something.
 */
function* changeMembers(tx: StorageTransaction, moves: readonly Move[]): Step<readonly Move[]> {
  const [first] = moves;
  if (first === undefined) return [];
  const { segment, enters, cause } = first;
  const ordinals = moves.map(({ user }) => user.ordinal);
  const day = cause?.day ?? null;
  const movedOrdinals = yield* tx.changeSegmentMembers(segment.id, ordinals, enters, day);
  const changedOrdinals = new Set(movedOrdinals);
  return moves.filter(({ user }) => changedOrdinals.has(user.ordinal));
}
