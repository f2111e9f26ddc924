import type { Step } from "../concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import { boolean, bytes, integer, json, type RowOf, record, text, time } from "./record.js";

/** A filter that an organization has saved under a name. */
export const segmentRecord = record("savedSegments", ["id"], {
  id: text(),
  slug: text().fixed(),
  name: text(),
  description: text().nullable(),
  color: text().nullable(),
  /** In its canonical form. */
  filter: json(),
  emitsEvents: boolean(),
  /** The time since when it has emitted events; `null` if it emits none, or if the time is unknown. */
  emitsSince: time().nullable(),
  /** True while its members are being recounted; no moves are emitted until the recount is done. */
  isRecounting: boolean(),
  /** Incremented each time a recount begins. */
  revision: integer(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredSegment = RowOf<typeof segmentRecord>;

/**
 * A slice of the members of a segment that emits events. The slices of all segments for the same users are stored next to each
 * other.
 */
export const segmentSliceRecord = record("segmentSlices", ["slice", "segmentId"], {
  slice: integer(),
  segmentId: text().refersTo("savedSegments", "id"),
  ordinals: bytes(),
});

/** The progress of evaluating an organization's segments. Exists for each organization that has saved a segment. */
export const segmentFollowerRecord = record("segmentFollowers", [], {
  /** The outbox position up to which events are reflected in the stored members; `null` while no segment emits events. */
  position: integer().nullable(),
  /** The midnight up to which members are evaluated. It never moves backward. */
  watermark: time(),
  /** The midnight after the watermark. */
  nextMidnight: time(),
});

export type StoredSegmentFollower = RowOf<typeof segmentFollowerRecord>;

/** A change without an event: the follower updates the stored members accordingly, and emits nothing. */
export const silentChangeRecord = record("silentChanges", ["id"], {
  id: text(),
  /** A list of the ids of the users and passes that the change affected, at most 1,000. */
  names: json(),
});

export type StoredSilentChange = RowOf<typeof silentChangeRecord>;

/** A segment's membership changes on one day in the organization's calendar, in days since the Unix epoch. */
export const segmentDayRecord = record("segmentDays", ["segmentId", "day"], {
  segmentId: text().refersTo("savedSegments", "id"),
  day: integer(),
  /** Counted at the end of the day; `null` until then. */
  members: integer().nullable(),
  entered: integer(),
  left: integer(),
});

export type StoredSegmentDay = RowOf<typeof segmentDayRecord>;

export interface SavedSegmentReads {
  findSegment(organizationId: string, slug: string): Step<StoredSegment | null>;
  /** Lists segments, oldest first: by `createdAt`, then id. */
  listSegments(organizationId: string): Step<StoredSegment[]>;
  /** Returns the stored members of a segment that emits events; an empty set for any other segment. */
  segmentMembers(organizationId: string, segmentId: string): Step<Bitmap>;
  /**
   * Returns which of these users (at most 1,000) are stored members of each segment, keyed by segment. Segments without such
   * members may be omitted.
   */
  membersAmong(
    organizationId: string,
    userOrdinals: readonly number[],
  ): Step<ReadonlyMap<string, ReadonlySet<number>>>;
  findSegmentFollower(organizationId: string): Step<StoredSegmentFollower | null>;
  /**
   * Returns the ids of organizations that have a follower, ascending, after `after` (empty string: from the start), at most
   * `limit`. Takes no organization id.
   */
  organizationsWithSavedSegments(after: string, limit: number): Step<string[]>;
  /**
   * Returns organizations, at most `limit`, whose next midnight is not after `now`, or whose follower has a position and either a
   * backlog of events or silent changes. Sorted by next midnight, then id. Takes no organization id.
   */
  organizationsToFollow(now: number, limit: number): Step<string[]>;
  /** Returns the oldest silent changes, by id, at most `limit`. */
  silentChanges(organizationId: string, limit: number): Step<StoredSilentChange[]>;
  /** Returns a segment's stored days from `from` to `to`, both inclusive, ascending. */
  segmentDays(organizationId: string, segmentId: string, from: number, to: number): Step<StoredSegmentDay[]>;
}

export interface SavedSegmentWrites {
  /** @throws {StorageConflict} `slug` if another segment has it. */
  insertSegment(organizationId: string, segment: StoredSegment): Step<void>;
  /**
   * Replaces the segment with this id, except `slug` and `createdAt`. A segment that emits no events loses its stored members.
   * Returns false if there is none.
   */
  updateSegment(organizationId: string, segment: StoredSegment): Step<boolean>;
  /** Removes the segment with its members and days. Returns false if there is none. */
  deleteSegment(organizationId: string, id: string): Step<boolean>;
  /**
   * Replaces all stored members of a segment that emits events.
   * @throws an error if there is no such segment.
   */
  putSegmentMembers(organizationId: string, segmentId: string, members: Bitmap): Step<void>;
  /**
   * Adds users (at most 1,000) to a segment that emits events, or removes them. Deleted users are removed from every segment.
   * @param day the day whose counts include the changed users; `null` for none.
   * @returns the ordinals of the changed users, ascending.
   * @throws an error if users are to be added and there is no such segment.
   */
  changeSegmentMembers(
    organizationId: string,
    segmentId: string,
    userOrdinals: readonly number[],
    isMember: boolean,
    day: number | null,
  ): Step<number[]>;
  putSegmentFollower(organizationId: string, follower: StoredSegmentFollower): Step<void>;
  insertSilentChange(organizationId: string, change: StoredSilentChange): Step<void>;
  /** Removes the silent changes with these ids (at most 1,000). */
  deleteSilentChanges(organizationId: string, ids: readonly string[]): Step<void>;
  /**
   * Stores a segment's number of members at the end of a day, unless it is already stored.
   * @throws an error if there is no such segment.
   */
  recordMemberCount(organizationId: string, segmentId: string, day: number, members: number): Step<void>;
}
