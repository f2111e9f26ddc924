import type { Step } from "../concurrency/step.js";
import type { Bitmap } from "./bitmap.js";

/** The bitmaps that a tag filter is evaluated on, all from the same committed state. */
export interface TagSets {
  /** The ordinals of all users of the organization. */
  readonly users: Bitmap;
  /** The users of each tag, keyed by slug. Slugs without a tag are missing. */
  readonly tags: ReadonlyMap<string, Bitmap>;
}

/** The result of comparing the tag sets with users and assignments. */
export interface TagSetReport {
  /** The number of compared sets: one for each tag, plus the set of all users. */
  readonly checked: number;
  /**
   * The slugs of the tags whose set is wrong; `null` stands for the set of all users. The set of a removed tag is wrong if it lacks
   * a user who still has the tag.
   */
  readonly wrong: readonly (string | null)[];
}

export interface TagSetReads {
  /** Returns the sets of these tags and of all users, from the same committed state. */
  readTagSets(organizationId: string, slugs: readonly string[]): Step<TagSets>;
  /** Compares every set with the users and assignments. Reads all of the organization's users and assignments. */
  verifyTagSets(organizationId: string): Step<TagSetReport>;
}

export interface TagSetWrites {
  /** Rebuilds every tag set from the users and assignments. */
  rebuildTagSets(organizationId: string): Step<void>;
}
