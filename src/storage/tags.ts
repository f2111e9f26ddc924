import type { Step } from "../concurrency/step.js";
import { actorColumns } from "./actors.js";
import type { Bitmap } from "./bitmap.js";
import { integer, json, type RowOf, record, text, time } from "./record.js";
import type { StoredUser } from "./users.js";

export const tagRecord = record("userTags", ["id"], {
  /** Numbered from 1 in the order in which tags were added; not reused when the tag is deleted. */
  ordinal: integer().fixed(),
  id: text(),
  slug: text().fixed(),
  name: text(),
  description: text().nullable(),
  color: text(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

export type StoredTag = RowOf<typeof tagRecord>;
export type NewTag = Omit<StoredTag, "ordinal">;

export interface TagWithMerging extends StoredTag {
  /** The number of removed tags that are still being merged into this one. */
  readonly merging: number;
}

export const assignmentRecord = record("userTagAssignments", ["userOrdinal", "tagOrdinal"], {
  id: text(),
  userOrdinal: integer().refersTo("users", "ordinal"),
  tagOrdinal: integer().refersTo("userTags", "ordinal"),
  createdAt: time(),
});

export type StoredAssignment = RowOf<typeof assignmentRecord>;

/**
 * A removed tag whose assignments are still being processed in slices. Its users count as users of the tag that it is merged into,
 * if any. Its tag set remains until the removal is finished.
 */
export const tagRemovalRecord = record("tagRemovals", ["ordinal"], {
  ordinal: integer(),
  /** The tag as its last events show it. */
  tag: json(),
  /** The tag that its users get instead; `null` for none. */
  targetOrdinal: integer().nullable().refersTo("userTags", "ordinal"),
  /** The data of the merge event; `null` if the tag was deleted. */
  merge: json().nullable(),
  createdAt: time(),
  ...actorColumns,
});

export type StoredTagRemoval = RowOf<typeof tagRemovalRecord>;

/** Returns the slug of a removed tag. */
export function slugOfRemoved({ tag }: Pick<StoredTagRemoval, "tag">): string {
  const { slug }: Pick<StoredTag, "slug"> = JSON.parse(tag);
  return slug;
}

/** A tag assignment with the tag's slug. */
export interface AssignedSlug extends Pick<StoredAssignment, "userOrdinal" | "createdAt"> {
  readonly slug: string;
}

/**
 * Reads of tags and assignments. In reads of a user's tags, a tag that is being merged counts as its target, as soon as it is
 * removed.
 */
export interface TagReads {
  findTag(organizationId: string, slug: string): Step<TagWithMerging | null>;
  tagOfOrdinal(organizationId: string, ordinal: number): Step<StoredTag | null>;
  /** Lists tags, oldest first: by `createdAt`, then id. */
  listTags(organizationId: string): Step<StoredTag[]>;
  /** Returns a user's tags, oldest assignment first: by the assignment's `createdAt`, then its id. */
  tagsOfUser(organizationId: string, userOrdinal: number): Step<StoredTag[]>;
  /**
   * Returns the tag slugs of these users (at most 1,000), keyed by the user's ordinal, oldest assignment first. Users without tags
   * are missing.
   */
  slugsOfUsers(
    organizationId: string,
    userOrdinals: readonly number[],
  ): Step<ReadonlyMap<number, readonly string[]>>;
  /** Returns the tag assignments of these users (at most 1,000), oldest first: by the assignment's `createdAt`, then its id. */
  assignmentsOfUsers(organizationId: string, userOrdinals: readonly number[]): Step<AssignedSlug[]>;
  /** Returns the tag's users with an ordinal above `after` (-1 for the start), ascending by ordinal, at most `limit`. */
  usersOfTag(organizationId: string, tagOrdinal: number, after: number, limit: number): Step<StoredUser[]>;
  /** Returns the unfinished tag removals, oldest first: by `createdAt`, then ordinal. */
  tagRemovals(organizationId: string): Step<StoredTagRemoval[]>;
  /** Returns the users who still have removed tags. */
  holdersOfRemovedTags(organizationId: string): Step<Bitmap>;
  /** Returns the ids of organizations that have unfinished tag removals, ascending, at most `limit`. Takes no organization id. */
  organizationsWithTagRemovals(limit: number): Step<string[]>;
}

export interface TagWrites {
  /**
   * @returns the tag with its ordinal.
   * @throws {StorageConflict} `slug` if another tag has it.
   */
  insertTag(organizationId: string, tag: NewTag): Step<StoredTag>;
  /** Replaces the tag with this id, except `slug` and `createdAt`. Returns false if there is none. */
  updateTag(organizationId: string, tag: StoredTag): Step<boolean>;
  /**
   * Removes a tag, but keeps its assignments until they are processed in slices. Adds its users to the set of the tag that it is
   * merged into, and redirects unfinished merges into the removed tag to that target.
   * @returns false if there is no such tag.
   */
  removeTag(organizationId: string, removal: StoredTagRemoval): Step<boolean>;
  /** Finishes the removal of a tag that has no users left, and removes its set. Returns false if there is no such removal. */
  endTagRemoval(organizationId: string, ordinal: number): Step<boolean>;
  /** @throws {StorageConflict} `assignment` if the user already has the tag; an error if there is no such user or tag. */
  assignTag(organizationId: string, assignment: StoredAssignment): Step<void>;
  /**
   * Adds the assignments (at most 1,000) whose user does not have the tag yet; of duplicates for a user and tag, only the first.
   * @returns the added assignments, in input order.
   * @throws an error if a user or tag doesn't exist.
   */
  assignTags(organizationId: string, assignments: readonly StoredAssignment[]): Step<StoredAssignment[]>;
  /** Returns false if the user does not have the tag. */
  unassignTag(organizationId: string, userOrdinal: number, tagOrdinal: number): Step<boolean>;
  /**
   * Removes the tag from these users (at most 1,000), if they have it.
   * @returns the ordinals of the users who had it, ascending.
   */
  unassignUsers(organizationId: string, tagOrdinal: number, userOrdinals: readonly number[]): Step<number[]>;
}
