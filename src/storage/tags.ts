import type { Step } from "../base/concurrency/step.js";
import { actorColumns } from "./actors.js";
import type { Bitmap } from "./bitmap.js";
import { integer, json, type RowOf, record, text, time } from "./record.js";
import type { StoredUser } from "./users.js";

export const tagRecord = record("userTags", ["id"], {
  /** The tag's number, from 1 in the order in which tags were created. Not reused after the tag is deleted. */
  ordinal: integer().fixed(),
  /** The tag's ID, unique within the organization. */
  id: text(),
  /** The slug that identifies the tag in URLs and filters, unique within the organization. It never changes. */
  slug: text().fixed(),
  /** The name that people see. */
  name: text(),
  /** A description of the tag, or `null` if there is none. */
  description: text().nullable(),
  /** The color that the tag is shown in, as `#RRGGBB`. */
  color: text(),
  /** When the tag was created, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
  /** When the tag was last edited, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

export type StoredTag = RowOf<typeof tagRecord>;
export type NewTag = Omit<StoredTag, "ordinal">;

export interface TagWithMerging extends StoredTag {
  /** Number of removed tags that are still being merged into this one. */
  readonly merging: number;
}

export const assignmentRecord = record("userTagAssignments", ["userOrdinal", "tagOrdinal"], {
  /** The assignment's ID, unique within the organization. */
  id: text(),
  /** The ordinal of the user who has the tag. */
  userOrdinal: integer().refersTo("users", "ordinal"),
  /** The ordinal of the tag. */
  tagOrdinal: integer().refersTo("userTags", "ordinal"),
  /** When the tag was assigned, in milliseconds since the Unix epoch. */
  createdAt: time(),
});

export type StoredAssignment = RowOf<typeof assignmentRecord>;

/**
 * A removed tag that is still being unassigned from its users, in batches. If the tag is being merged, its users already count as
 * users of the target tag. Its tag set remains until the removal is finished.
 */
export const tagRemovalRecord = record("tagRemovals", ["ordinal"], {
  /** The ordinal of the removed tag. */
  ordinal: integer(),
  /** The tag in the form that its final events contain. */
  tag: json(),
  /** The tag that its users get instead, or `null` if the tag is deleted without a replacement. */
  targetOrdinal: integer().nullable().refersTo("userTags", "ordinal"),
  /** The data for the merge event, or `null` if the tag is deleted rather than merged. */
  merge: json().nullable(),
  /** When the tag was deleted or merged, in milliseconds since the Unix epoch. */
  createdAt: time(),
  ...actorColumns,
});

export type StoredTagRemoval = RowOf<typeof tagRemovalRecord>;

/** Returns the slug that a removed tag had. It is part of the tag's stored JSON, because the tag's own row no longer exists. */
export function slugOfRemoved({ tag }: Pick<StoredTagRemoval, "tag">): string {
  const { slug }: Pick<StoredTag, "slug"> = JSON.parse(tag);
  return slug;
}

/** A tag assignment with the tag's slug instead of its ordinal. */
export interface AssignedSlug extends Pick<StoredAssignment, "userOrdinal" | "createdAt"> {
  /** The slug of the assigned tag. For a removed tag, this is the slug of the tag that it is being merged into. */
  readonly slug: string;
}

/**
 * Read operations for tags and assignments. Methods that return a user's tags replace a removed tag with the tag that it is being
 * merged into.
 */
export interface TagReads {
  /**
   * Finds a tag by its slug, and counts the removed tags that are still being merged into it. Returns `null` if there is no such
   * tag.
   */
  findTag(slug: string): Step<TagWithMerging | null>;
  /** Finds a tag by its ordinal. Returns `null` if the tag doesn't exist or was removed. */
  tagOfOrdinal(ordinal: number): Step<StoredTag | null>;
  /** Lists the organization's tags, sorted by `createdAt` (oldest first), then by ID. Removed tags aren't included. */
  listTags(): Step<StoredTag[]>;
  /** Returns a user's tags, sorted by the assignment's `createdAt` (oldest first), then by the assignment's ID. */
  tagsOfUser(userOrdinal: number): Step<StoredTag[]>;
  /**
   * Returns the tag slugs of these users (at most 1,000), keyed by user ordinal. Each user's slugs are sorted by assignment, oldest
   * first. Users without tags have no entry.
   */
  slugsOfUsers(userOrdinals: readonly number[]): Step<ReadonlyMap<number, readonly string[]>>;
  /** Returns the tag assignments of these users (at most 1,000), sorted by `createdAt` (oldest first), then by ID. */
  assignmentsOfUsers(userOrdinals: readonly number[]): Step<AssignedSlug[]>;
  /**
   * Lists up to `limit` users who have a tag and whose ordinal is greater than `after`, in ascending order of ordinal. Pass -1 to
   * start from the beginning.
   */
  usersOfTag(tagOrdinal: number, after: number, limit: number): Step<StoredUser[]>;
  /** Returns the unfinished tag removals, sorted by `createdAt` (oldest first), then by ordinal. */
  tagRemovals(): Step<StoredTagRemoval[]>;
  /** Returns the ordinals of the users who still have a removed tag. */
  holdersOfRemovedTags(): Step<Bitmap>;
}

/** Look-ups across all organizations. */
export interface TagLookUps {
  /** Lists the IDs of up to `limit` organizations that have unfinished tag removals, in ascending order. */
  organizationsWithTagRemovals(limit: number): Step<string[]>;
}

export interface TagWrites {
  /**
   * Adds a tag.
   * @returns the tag with its ordinal.
   * @throws {StorageConflict} `slug` if another tag has the same slug.
   */
  insertTag(tag: NewTag): Step<StoredTag>;
  /** Replaces the stored tag with the same ID, but keeps its `slug` and `createdAt`. Returns `false` if there is no such tag. */
  updateTag(tag: StoredTag): Step<boolean>;
  /**
   * Removes a tag, but keeps its assignments, which are removed later in batches. If the tag is being merged into another one, adds
   * its users to the target's set, and redirects to the target any unfinished merges into the removed tag.
   * @returns `false` if there is no such tag.
   */
  removeTag(removal: StoredTagRemoval): Step<boolean>;
  /** Finishes removing a tag that no longer has users, by deleting its tag set. Returns `false` if there is no such removal. */
  endTagRemoval(ordinal: number): Step<boolean>;
  /**
   * Assigns a tag to a user.
   * @throws {StorageConflict} `assignment` if the user already has the tag.
   * @throws an error if the user or tag doesn't exist.
   */
  assignTag(assignment: StoredAssignment): Step<void>;
  /**
   * Adds up to 1,000 assignments, except for users who already have the tag. If the array contains the same user and tag more than
   * once, adds only the first assignment.
   * @returns the added assignments, in input order.
   * @throws an error if a user or tag doesn't exist.
   */
  assignTags(assignments: readonly StoredAssignment[]): Step<StoredAssignment[]>;
  /** Removes a tag from a user. Returns `false` if the user doesn't have the tag. */
  unassignTag(userOrdinal: number, tagOrdinal: number): Step<boolean>;
  /**
   * Removes a tag from these users (at most 1,000). Ignores users who don't have it.
   * @returns the ordinals of the users who had the tag, in ascending order.
   */
  unassignUsers(tagOrdinal: number, userOrdinals: readonly number[]): Step<number[]>;
}

/** The bitmaps needed to evaluate a tag filter, all from the same committed state. */
export interface TagSets {
  /** The ordinals of all the organization's users. */
  readonly users: Bitmap;
  /** The ordinals of the users who have each tag, keyed by the tag's slug. Unknown slugs have no entry. */
  readonly tags: ReadonlyMap<string, Bitmap>;
}

/** The result of checking an organization's tag sets against its users and assignments. */
export interface TagSetReport {
  /** Number of sets compared: one for each tag, plus the set of all users. */
  readonly checked: number;
  /**
   * The slugs of the tags whose sets are wrong. `null` stands for the set of all users. A removed tag's set is wrong if it lacks a
   * user who still has the tag.
   */
  readonly wrong: readonly (string | null)[];
}

export interface TagSetReads {
  /** Returns the set of users with each of these tags, and the set of all users, from the same committed state. */
  readTagSets(slugs: readonly string[]): Step<TagSets>;
  /** Checks every tag set against the stored users and assignments. Reads all of the organization's users and assignments. */
  verifyTagSets(): Step<TagSetReport>;
}

export interface TagSetWrites {
  /** Rebuilds all of the organization's tag sets from the stored users and assignments. */
  rebuildTagSets(): Step<void>;
}
