import type { Step } from "../concurrency/step.js";
import type { Bitmap } from "./bitmap.js";

/** The bitmaps that a tag filter is evaluated on, all of one committed state. */
export interface TagSets {
  /** The ordinals of all users of the organization. */
  readonly users: Bitmap;
  /** The users of each tag by slug. A slug without a tag is missing. */
  readonly tags: ReadonlyMap<string, Bitmap>;
}

/** The result of comparing the bitmaps with users and assignments. */
export interface TagSetReport {
  /** The number of sets that were compared: one for each tag, and the one of all users. */
  readonly checked: number;
  /**
   * The slugs of the tags whose set is wrong; `null` stands for the set of all users. The set of a removed tag is wrong if it lacks
   * a user who still has the tag.
   */
  readonly wrong: readonly (string | null)[];
}

export interface TagSetReads {
  /** The sets of these tags and of all users, of one committed state. */
  readTagSets(organizationId: string, slugs: readonly string[]): Step<TagSets>;
  /** Compares every set with the users and assignments. Reads the whole organization. */
  verifyTagSets(organizationId: string): Step<TagSetReport>;
}

export interface TagSetWrites {
  /** Rebuilds every set from the users and assignments. */
  rebuildTagSets(organizationId: string): Step<void>;
}
