import type { Step } from "../base/concurrency/step.js";
import type { Bitmap } from "./bitmap.js";

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
