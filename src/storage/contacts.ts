import type { Step } from "../base/concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import type { StoredUser } from "./users.js";

export type ContactSortField = "createdAt" | "updatedAt" | "email" | "name" | "externalId";

export interface ContactQuery {
  /** Folded text that must occur literally in at least one of the user's folded fields. `null` matches all users. */
  readonly search: string | null;
  /** Matches only users whose stamp card from the template has a number of stamps within both inclusive bounds. */
  readonly stamps: {
    readonly templateId: string;
    readonly min: number | null;
    readonly max: number | null;
  } | null;
  /** Restricts the search to these users. Default: all users. */
  readonly among?: Bitmap | null;
  readonly sort: { readonly field: ContactSortField; readonly direction: "asc" | "desc" };
  readonly offset: number;
  readonly limit: number;
}

export interface ContactReads {
  /**
   * Returns one page of contacts, and the total number of matches on all pages. String columns are sorted by their folded value in
   * code point order. Nulls come last in both directions, and ties are broken by id in the direction of the sort. `createdAt` and
   * `updatedAt` are sorted by time, then id.
   */
  listContacts(organizationId: string, query: ContactQuery): Step<{ users: StoredUser[]; total: number }>;
}
