import type { Step } from "../base/concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import { boolean, bytes, integer, json, type RowOf, record, text, time } from "./record.js";

/** A named filter that an organization has saved as a segment, with the state of its recount. */
export const segmentRecord = record("savedSegments", ["id"], {
  /** The segment's ID, unique within the organization. */
  id: text(),
  /** The slug that identifies the segment in URLs and filters, unique within the organization. It never changes. */
  slug: text().fixed(),
  /** The name that people see. */
  name: text(),
  /** A description of the segment, or `null` if there is none. */
  description: text().nullable(),
  /** The color that the segment is shown in, as `#RRGGBB`, or `null` if none was chosen. */
  color: text().nullable(),
  /** The filter, in canonical form. */
  filter: json(),
  /** True if an event is emitted whenever a user enters or leaves the segment. */
  emitsEvents: boolean(),
  /** The time since which the segment has emitted events, or `null` if it emits none, or if the time is unknown. */
  emitsSince: time().nullable(),
  /** True while the segment's members are being recounted. No moves are emitted until the recount is done. */
  isRecounting: boolean(),
  /** Incremented each time a recount begins. */
  revision: integer(),
  /** When the segment was created, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
  /** When the segment was last edited, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

export type StoredSegment = RowOf<typeof segmentRecord>;

/**
 * A slice of a segment's members that covers 1,024 consecutive ordinals. Only segments that emit events have slices. Slices that
 * cover the same users are stored next to each other, even if they belong to different segments.
 */
export const segmentSliceRecord = record("segmentSlices", ["slice", "segmentId"], {
  slice: integer(),
  segmentId: text().refersTo("savedSegments", "id"),
  ordinals: bytes(),
});

/**
 * An organization's progress in evaluating its segments: which events and days have been processed. Exists only if the organization
 * has saved a segment.
 */
export const segmentFollowerRecord = record("segmentFollowers", [], {
  /** The stored members reflect all events up to this outbox position; `null` while no segment emits events. */
  position: integer().nullable(),
  /** The last midnight for which members have been evaluated. It never moves backward. */
  watermark: time(),
  /** The first midnight after the watermark. */
  nextMidnight: time(),
});

export type StoredSegmentFollower = RowOf<typeof segmentFollowerRecord>;

/** A change for which no event was recorded. The follower updates the stored members to reflect the change, but emits no events. */
export const silentChangeRecord = record("silentChanges", ["id"], {
  /** The change's ID, a UUIDv7, so that IDs sort by creation time. */
  id: text(),
  /** A JSON list with the IDs of the affected users and passes, at most 1,000. */
  names: json(),
});

export type StoredSilentChange = RowOf<typeof silentChangeRecord>;

/**
 * A segment's member count at the end of a day, and how often users entered and left the segment on that day. `day` is in the
 * organization's calendar, as days since the Unix epoch.
 */
export const segmentDayRecord = record("segmentDays", ["segmentId", "day"], {
  /** The ID of the segment. */
  segmentId: text().refersTo("savedSegments", "id"),
  /** The day in the organization's calendar, as days since the Unix epoch. */
  day: integer(),
  /** Number of members at the end of the day. `null` until then. */
  members: integer().nullable(),
  /** Number of times that a user entered the segment on this day. */
  entered: integer(),
  /** Number of times that a user left the segment on this day. */
  left: integer(),
});

export type StoredSegmentDay = RowOf<typeof segmentDayRecord>;

export interface SavedSegmentReads {
  /** Finds a saved segment by its slug, which never changes. Returns `null` if there is none. */
  findSegment(slug: string): Step<StoredSegment | null>;
  /** Lists the organization's saved segments, sorted by `createdAt` (oldest first), then by ID. */
  listSegments(): Step<StoredSegment[]>;
  /** Returns the stored members of a segment that emits events, or an empty set for any other segment. */
  segmentMembers(segmentId: string): Step<Bitmap>;
  /**
   * Returns which of these users (at most 1,000) are stored members of each segment, keyed by segment ID. Segments that contain
   * none of the users can be missing from the result.
   */
  membersAmong(userOrdinals: readonly number[]): Step<ReadonlyMap<string, ReadonlySet<number>>>;
  /** Returns the organization's progress in evaluating its segments, or `null` if the organization has never saved a segment. */
  findSegmentFollower(): Step<StoredSegmentFollower | null>;
  /** Returns up to `limit` of the oldest silent changes, sorted by ID. */
  silentChanges(limit: number): Step<StoredSilentChange[]>;
  /** Returns a segment's stored daily counts from day `from` through day `to`, in ascending order. */
  segmentDays(segmentId: string, from: number, to: number): Step<StoredSegmentDay[]>;
}

/** Look-ups across all organizations. */
export interface SavedSegmentLookUps {
  /**
   * Lists the IDs of up to `limit` organizations that have ever saved a segment, in ascending order, starting after the ID `after`.
   * Pass the empty string to start from the beginning.
   */
  organizationsWithSavedSegments(after: string, limit: number): Step<string[]>;
  /**
   * Returns the IDs of up to `limit` organizations whose segments need work, sorted by next midnight, then by ID. Segments need
   * work if the next midnight is at or before `now`, or if the follower has a position and there are unread events or silent
   * changes.
   */
  organizationsToFollow(now: number, limit: number): Step<string[]>;
}

export interface SavedSegmentWrites {
  /**
   * Adds a segment.
   * @throws {StorageConflict} `slug` if another segment has the same slug.
   */
  insertSegment(segment: StoredSegment): Step<void>;
  /**
   * Replaces the stored segment with the same ID, but keeps its `slug` and `createdAt`. If the new version doesn't emit events,
   * removes the stored members. Returns `false` if there is no such segment.
   */
  updateSegment(segment: StoredSegment): Step<boolean>;
  /** Removes a segment, its members, and its daily counts. Returns `false` if there is no such segment. */
  deleteSegment(id: string): Step<boolean>;
  /**
   * Replaces all stored members of a segment. The segment must emit events.
   * @throws an error if there is no such segment.
   */
  putSegmentMembers(segmentId: string, members: Bitmap): Step<void>;
  /**
   * Adds users (at most 1,000) to a segment that emits events, or removes them from it. Deleted users are removed from every
   * segment.
   * @param day the day on which to count the moves, or `null` if they shouldn't be counted.
   * @returns the ordinals of the users whose membership changed, in ascending order.
   * @throws an error if users are added and there is no such segment.
   */
  changeSegmentMembers(
    segmentId: string,
    userOrdinals: readonly number[],
    isMember: boolean,
    day: number | null,
  ): Step<number[]>;
  /** Stores the organization's progress in evaluating its segments, replacing the previous state. */
  putSegmentFollower(follower: StoredSegmentFollower): Step<void>;
  /** Adds a silent change. Its ID must be unused. */
  insertSilentChange(change: StoredSilentChange): Step<void>;
  /** Removes the silent changes with these IDs (at most 1,000). */
  deleteSilentChanges(ids: readonly string[]): Step<void>;
  /**
   * Stores a segment's member count as of the end of a day, unless the count for that day is already stored.
   * @throws an error if there is no such segment.
   */
  recordMemberCount(segmentId: string, day: number, members: number): Step<void>;
}
