import type { Step } from "../base/concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import type { StoredUser } from "./users.js";

export type ContactSortField = "createdAt" | "updatedAt" | "email" | "name" | "externalId";

export interface ContactQuery {
  /**
   * The folded string to search for. It must appear verbatim in at least one of the user's folded fields. `null` matches all users.
   */
  readonly search: string | null;
  /**
   * Matches only users who have a stamp card from this template with at least `min` and at most `max` stamps. A `null` bound isn't
   * checked. If the whole filter is `null`, it matches all users.
   */
  readonly stamps: {
    readonly templateId: string;
    readonly min: number | null;
    readonly max: number | null;
  } | null;
  /** Restricts the search to these users. Default: all users. */
  readonly among?: Bitmap | null;
  /** How to sort the matches before `offset` and `limit` apply. */
  readonly sort: {
    /** The field to sort by. */
    readonly field: ContactSortField;
    /** Whether to sort in ascending or descending order. */
    readonly direction: "asc" | "desc";
  };
  /** Number of matches to skip, from the start of the sorted list. */
  readonly offset: number;
  /** Maximum number of contacts to return after skipping `offset` matches. */
  readonly limit: number;
}

export interface ContactReads {
  /**
   * Returns one page of contacts and the total number of matches on all pages. String columns are sorted by their folded value in
   * code point order. `null` comes last in both directions, and ties are broken by ID in the sort direction. `createdAt` and
   * `updatedAt` are sorted by time, then by ID.
   */
  listContacts(query: ContactQuery): Step<{ users: StoredUser[]; total: number }>;
}
