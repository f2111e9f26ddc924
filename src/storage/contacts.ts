import type { Step } from "../concurrency/step.js";
import type { Bitmap } from "./bitmap.js";
import type { StoredUser } from "./users.js";

export type ContactSortField = "createdAt" | "updatedAt" | "email" | "name" | "externalId";

export interface ContactQuery {
  /** A folded text to find in any one of the folds, literally; `null` finds everybody. */
  readonly search: string | null;
  /** Only users with at least one stamp card of the template within both inclusive bounds. */
  readonly stamps: {
    readonly templateId: string;
    readonly min: number | null;
    readonly max: number | null;
  } | null;
  /** Only these users. Default: all. */
  readonly among?: Bitmap | null;
  readonly sort: { readonly field: ContactSortField; readonly direction: "asc" | "desc" };
  readonly offset: number;
  readonly limit: number;
}

export interface ContactReads {
  /**
   * One page of contacts and how many match in all. Texts sort by their fold in code point order, nulls last in
   * both directions, ties by id in the direction of the sort. `createdAt` and `updatedAt` sort by time, then id.
   */
  listContacts(organizationId: string, query: ContactQuery): Step<{ users: StoredUser[]; total: number }>;
}
