import type { Step } from "../concurrency/step.js";
import { actorColumns } from "./actors.js";
import type { Bitmap } from "./bitmap.js";
import { integer, json, type RowOf, record, text, time } from "./record.js";
import type { StoredUser } from "./users.js";

export const tagRecord = record("userTags", ["id"], {
  /** From 1 in the order in which tags were added; not given again when the tag is gone. */
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
 * A removed tag whose assignments are still being moved in slices. Its users count as users of the tag that it is merged into. Its
 * set stays until the end.
 */
export const tagRemovalRecord = record("tagRemovals", ["ordinal"], {
  ordinal: integer(),
  /** The tag, as its last events show it. */
  tag: json(),
  /** The tag that its users get; `null` for none. */
  targetOrdinal: integer().nullable().refersTo("userTags", "ordinal"),
  /** The data of the event that says that it was merged; `null` if it was deleted. */
  merge: json().nullable(),
  createdAt: time(),
  ...actorColumns,
});

export type StoredTagRemoval = RowOf<typeof tagRemovalRecord>;

/** The slug that a removed tag had. */
export function slugOfRemoved({ tag }: Pick<StoredTagRemoval, "tag">): string {
  const { slug }: Pick<StoredTag, "slug"> = JSON.parse(tag);
  return slug;
}

/** An assignment with the tag's slug. */
export interface AssignedSlug extends Pick<StoredAssignment, "userOrdinal" | "createdAt"> {
  readonly slug: string;
}

/** In reads of a user's tags, a tag that is being merged counts as its target from the time of the removal. */
export interface TagReads {
  findTag(organizationId: string, slug: string): Step<TagWithMerging | null>;
  tagOfOrdinal(organizationId: string, ordinal: number): Step<StoredTag | null>;
  /** Oldest first: by `createdAt`, then id. */
  listTags(organizationId: string): Step<StoredTag[]>;
  /** Oldest assignment first: by the assignment's `createdAt`, then its id. */
  tagsOfUser(organizationId: string, userOrdinal: number): Step<StoredTag[]>;
  /**
   * The slugs of the tags of these users (at most 1,000) by the user's ordinal, oldest assignment first. A user
   * without tags is missing.
   */
  slugsOfUsers(
    organizationId: string,
    userOrdinals: readonly number[],
  ): Step<ReadonlyMap<number, readonly string[]>>;
  /** The tags of these users (at most 1,000), oldest assignment first: by its `createdAt`, then its id. */
  assignmentsOfUsers(organizationId: string, userOrdinals: readonly number[]): Step<AssignedSlug[]>;
  /** The tag's users with an ordinal above `after` (-1 for the start), ascending by ordinal, at most `limit`. */
  usersOfTag(organizationId: string, tagOrdinal: number, after: number, limit: number): Step<StoredUser[]>;
  /** Oldest first: by `createdAt`, then ordinal. */
  tagRemovals(organizationId: string): Step<StoredTagRemoval[]>;
  /** The users who have removed tags. */
  holdersOfRemovedTags(organizationId: string): Step<Bitmap>;
  /** The ids of organizations that have removals, ascending, at most `limit`. The call takes no organization. */
  organizationsWithTagRemovals(limit: number): Step<string[]>;
}

export interface TagWrites {
  /** @returns the tag with its ordinal. @throws {StorageConflict} `slug` if another tag has it. */
  insertTag(organizationId: string, tag: NewTag): Step<StoredTag>;
  /** Replaces the tag of this id; `slug` and `createdAt` stay. Returns false if there is none. */
  updateTag(organizationId: string, tag: StoredTag): Step<boolean>;
  /**
   * Removes a tag, whose assignments stay until they are taken away. Puts its users into the set of the tag that it is merged into,
   * and merges into that what was being merged into the tag.
   * @returns false when there is no such tag.
   */
  removeTag(organizationId: string, removal: StoredTagRemoval): Step<boolean>;
  /** Ends the removal of a tag without users, and removes its set. False when there is no such removal. */
  endTagRemoval(organizationId: string, ordinal: number): Step<boolean>;
  /** @throws {StorageConflict} `assignment` if the user has the tag; an error when there is no such user or tag. */
  assignTag(organizationId: string, assignment: StoredAssignment): Step<void>;
  /**
   * Adds the assignments (at most 1,000) whose user does not have the tag yet; the first of two for one user and tag.
   * @returns the added assignments, in the order given.
   * @throws an error if a user or tag doesn't exist.
   */
  assignTags(organizationId: string, assignments: readonly StoredAssignment[]): Step<StoredAssignment[]>;
  /** False when the user does not have the tag. */
  unassignTag(organizationId: string, userOrdinal: number, tagOrdinal: number): Step<boolean>;
  /**
   * Removes the tag from the users (at most 1,000) who have it.
   * @returns their ordinals, ascending.
   */
  unassignUsers(organizationId: string, tagOrdinal: number, userOrdinals: readonly number[]): Step<number[]>;
}
