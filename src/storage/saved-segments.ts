import type { Step } from "../concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import { boolean, bytes, integer, json, type RowOf, record, text, time } from "./record.js";

/** A filter that an organization keeps under a name. */
export const segmentRecord = record("savedSegments", ["id"], {
  id: text(),
  slug: text().fixed(),
  name: text(),
  description: text().nullable(),
  color: text().nullable(),
  /** In its canonical form. */
  filter: json(),
  emitsEvents: boolean(),
  /** The time since which it emits events; `null` if it emits none, or where that is not known. */
  emitsSince: time().nullable(),
  /** True while its members are recounted; no moves are emitted until that is done. */
  isRecounting: boolean(),
  /** Grows each time that a recount begins. */
  revision: integer(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredSegment = RowOf<typeof segmentRecord>;

/**
 * Some of the members of a segment that emits events: a slice of their set. The slices of all segments for the same users lie side
 * by side.
 */
export const segmentSliceRecord = record("segmentSlices", ["slice", "segmentId"], {
  slice: integer(),
  segmentId: text().refersTo("savedSegments", "id"),
  ordinals: bytes(),
});

/** The progress of evaluating an organization's members. Exists for each organization that has saved a segment. */
export const segmentFollowerRecord = record("segmentFollowers", [], {
  /** The stored members include the events up to this position; `null` while no segment emits events. */
  position: integer().nullable(),
  /** The midnight up to which the members are evaluated. It never goes back. */
  watermark: time(),
  /** The midnight after that. */
  nextMidnight: time(),
});

export type StoredSegmentFollower = RowOf<typeof segmentFollowerRecord>;

/** A change without event: the follower stores the members that it leaves, and emits nothing. */
export const silentChangeRecord = record("silentChanges", ["id"], {
  id: text(),
  /** A list of the ids of the users and passes that it changed, at most 1,000. */
  names: json(),
});

export type StoredSilentChange = RowOf<typeof silentChangeRecord>;

/** A day of the organization's calendar, in days since the Unix epoch, and how the members of a segment changed on it. */
export const segmentDayRecord = record("segmentDays", ["segmentId", "day"], {
  segmentId: text().refersTo("savedSegments", "id"),
  day: integer(),
  /** Counted at the end of the day; `null` before that. */
  members: integer().nullable(),
  entered: integer(),
  left: integer(),
});

export type StoredSegmentDay = RowOf<typeof segmentDayRecord>;

export interface SavedSegmentReads {
  findSegment(organizationId: string, slug: string): Step<StoredSegment | null>;
  /** Oldest first: by `createdAt`, then id. */
  listSegments(organizationId: string): Step<StoredSegment[]>;
  /** The stored members of a segment that emits events; empty for any other segment. */
  segmentMembers(organizationId: string, segmentId: string): Step<Bitmap>;
  /** The stored members of all segments among these users (at most 1,000), by segment. Segments without any may be left out. */
  membersAmong(
    organizationId: string,
    userOrdinals: readonly number[],
  ): Step<ReadonlyMap<string, ReadonlySet<number>>>;
  findSegmentFollower(organizationId: string): Step<StoredSegmentFollower | null>;
  /**
   * The ids of organizations that have a follower, ascending, after `after` (empty string: from the start), at most `limit`.
   * The call takes no organization.
   */
  organizationsWithSavedSegments(after: string, limit: number): Step<string[]>;
  /**
   * The organizations, at most `limit`, whose next midnight is not after `now`, or whose follower has a position and either events
   * behind that or silent changes. Those with the earliest next midnight come first; then by id.
   * The call takes no organization.
   */
  organizationsToFollow(now: number, limit: number): Step<string[]>;
  /** The oldest silent changes, by id, at most `limit`. */
  silentChanges(organizationId: string, limit: number): Step<StoredSilentChange[]>;
  /** The known days of a segment from `from` to `to`, both inclusive, ascending. */
  segmentDays(organizationId: string, segmentId: string, from: number, to: number): Step<StoredSegmentDay[]>;
}

export interface SavedSegmentWrites {
  /** @throws {StorageConflict} `slug` if another segment has it. */
  insertSegment(organizationId: string, segment: StoredSegment): Step<void>;
  /** Replaces the segment of this id; `slug` and `createdAt` stay. One that emits no events loses its members. Returns false if there is none. */
  updateSegment(organizationId: string, segment: StoredSegment): Step<boolean>;
  /** Removes the segment with its members and days. Returns false if there is none. */
  deleteSegment(organizationId: string, id: string): Step<boolean>;
  /** Replaces all members of a segment that emits events. @throws an error if there is no such segment. */
  putSegmentMembers(organizationId: string, segmentId: string, members: Bitmap): Step<void>;
  /**
   * Adds users (at most 1,000) to a segment that emits events, or removes them. A deleted user is removed from every segment.
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
  /** Removes the silent changes of these ids (at most 1,000). */
  deleteSilentChanges(organizationId: string, ids: readonly string[]): Step<void>;
  /** Notes how many members a segment had at the end of a day, unless that is known. @throws an error if there is no such segment. */
  recordMemberCount(organizationId: string, segmentId: string, day: number, members: number): Step<void>;
}
