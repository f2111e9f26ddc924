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
  /** The time since which it emits events; `null` where it emits none, or where that is not known. */
  emitsSince: time().nullable(),
  /** Its members are being counted anew: nobody is told of them until that is done. */
  isRecounting: boolean(),
  /** Grows each time that its members are begun to be counted anew. */
  revision: integer(),
  /** The midnight whose members it began with: earlier ones, and that one, tell nothing of it. */
  toldSince: time(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredSegment = RowOf<typeof segmentRecord>;

/**
 * Some of the members of a segment that emits events, as they were told: a slice of their set. The slices of all segments for the
 * same users lie side by side. A slice counts who moved on the last day on which somebody did, and the row of that day lacks them:
 * who moves changes the slice anyway.
 */
export const segmentSliceRecord = record("segmentSlices", ["slice", "segmentId"], {
  slice: integer(),
  segmentId: text().refersTo("savedSegments", "id"),
  ordinals: bytes(),
  /** `null`, as the numbers are, where nobody moved since the members were put. */
  day: integer().nullable(),
  entered: integer().nullable(),
  left: integer().nullable(),
});

/** Exists for each organization that has saved a segment. */
export const segmentMarkRecord = record("segmentMarks", [], {
  /** The midnight up to which time is told. */
  settledThrough: time(),
  /** The newest time at which somebody looked whether there is a later midnight. */
  lookedAt: time(),
});

export type StoredSegmentMark = RowOf<typeof segmentMarkRecord>;

/** A user for whom time is told up to a later midnight than that of the mark. */
export const settledUserRecord = record("settledUsers", ["userOrdinal"], {
  userOrdinal: integer().refersTo("users", "ordinal"),
  through: time(),
});

export type StoredSettledUser = RowOf<typeof settledUserRecord>;

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

/** The segments of an organization where one emits events or more. */
export interface EmittingSegments {
  /** Those that emit events, oldest first. */
  readonly emitting: readonly StoredSegment[];
  /** All of them, oldest first. */
  readonly all: readonly StoredSegment[];
  readonly mark: StoredSegmentMark | null;
}

export interface SavedSegmentReads {
  findSegment(organizationId: string, slug: string): Step<StoredSegment | null>;
  /** Oldest first: by `createdAt`, then id. */
  listSegments(organizationId: string): Step<StoredSegment[]>;
  /** The members of a segment as they were told; nobody for one that emits no events. */
  segmentMembers(organizationId: string, segmentId: string): Step<Bitmap>;
  findSegmentWatermark(organizationId: string): Step<StoredSegmentMark | null>;
  /**
   * The ids of organizations that have a mark, ascending, from behind `after` (the empty text for the start), at most `limit`.
   * The call takes no organization.
   */
  organizationsWithSavedSegments(after: string, limit: number): Step<string[]>;
  /** Those of these users (at most 1,000) for whom time is told further than the mark says, by their ordinals. */
  userWatermarks(organizationId: string, userOrdinals: readonly number[]): Step<StoredSettledUser[]>;
  /** The users for whom time is told up to this midnight or further, beside the mark. */
  usersEvaluatedThrough(organizationId: string, midnight: number): Step<Bitmap>;
  /** The days of a segment from `from` to `to`, both included, of which something is known, ascending. */
  segmentDays(organizationId: string, segmentId: string, from: number, to: number): Step<StoredSegmentDay[]>;
}

export interface SavedSegmentWrites {
  /**
   * Returns the segments where one of them emits events; `null` where none does, which costs no statement of its own. It is one
   * and the same object as long as neither a segment of the organization nor its mark changes, as far as it is remembered, and never
   * changes itself.
   */
  emittingSegments(organizationId: string): Step<EmittingSegments | null>;
  /** @throws {StorageConflict} `slug` when another segment has it. */
  insertSegment(organizationId: string, segment: StoredSegment): Step<void>;
  /** Replaces the segment of this id; `slug` and `createdAt` stay. One that emits no events loses its members. False when there is none. */
  updateSegment(organizationId: string, segment: StoredSegment): Step<boolean>;
  /** Removes the segment with its members and days. False when there is none. */
  deleteSegment(organizationId: string, id: string): Step<boolean>;
  /** Replaces all members of a segment that emits events. @throws an error when there is no such segment. */
  putSegmentMembers(organizationId: string, segmentId: string, members: Bitmap): Step<void>;
  /**
   * Makes users (at most 1,000) members of a segment that emits events, or takes them out of it. A user who is deleted is taken
   * out of every segment.
   * @param day the day that counts those whom it changes; `null` where no day does.
   * @returns the ordinals of those whom it changed, ascending.
   * @throws an error when users are to be added and there is no such segment.
   */
  changeSegmentMembers(
    organizationId: string,
    segmentId: string,
    userOrdinals: readonly number[],
    isMember: boolean,
    day: number | null,
  ): Step<number[]>;
  putSegmentWatermark(organizationId: string, mark: StoredSegmentMark): Step<void>;
  /** Sets how far time is told for some users (at most 1,000). @throws an error when there is no such user. */
  putUserWatermarks(organizationId: string, users: readonly StoredSettledUser[]): Step<void>;
  /** Removes at most `limit` of the users for whom time is told up to this midnight and no further. @returns how many. */
  deleteUserWatermarks(organizationId: string, midnight: number, limit: number): Step<number>;
  /** Notes how many members a segment had at the end of a day, unless that is known. @throws an error when there is no such segment. */
  recordMemberCount(organizationId: string, segmentId: string, day: number, members: number): Step<void>;
}
