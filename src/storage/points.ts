import type { Step } from "../base/concurrency/step.js";
import { actorColumns } from "./actors.js";
import { boolean, integer, json, oneOf, type RowOf, record, text, time } from "./record.js";

/** The points of one pass. A pass has no such row until its points first change. */
export const pointCardRecord = record("pointCards", ["passId"], {
  /** The ID of the pass. */
  passId: text().refersTo("walletPasses", "id"),
  /** Points that the customer owes after a return. */
  debt: integer(),
  /** Points that purchases have given, less what returns have taken back. */
  earned: integer(),
  /** Points that were spent, less what was reversed. */
  spent: integer(),
  /** Points that have expired. */
  expired: integer(),
  /** Number of entries in the ledger. */
  entries: integer(),
  /** When points were last earned, in milliseconds since the Unix epoch, or `null` if they never were. */
  lastEarnedAt: time().nullable(),
  /** When the points were last recorded, in milliseconds since the Unix epoch. Points that were usable by then count as usable. */
  updatedAt: time(),
  /**
   * When time alone next changes the points, in milliseconds since the Unix epoch: remaining points expire, or points that were
   * pending at `updatedAt` become usable. `null` if time changes nothing.
   */
  nextChangeAt: time().nullable(),
});

export type StoredPointCard = RowOf<typeof pointCardRecord>;

/** Points that were given together and expire together. */
export const pointLotRecord = record("pointLots", ["passId", "sequence"], {
  /** The ID of the pass. */
  passId: text().refersTo("walletPasses", "id"),
  /** The `sequence` of the entry that gave the points. It is also the lot's number within its pass. */
  sequence: integer(),
  /** Number of points that the lot got, after debt was paid. */
  points: integer(),
  /** Number of points that are left, from 0 to `points`. */
  remaining: integer(),
  /** Number of points that have expired. */
  expired: integer(),
  /** When the points become usable, in milliseconds since the Unix epoch. */
  usableFrom: time(),
  /** The first moment at which the points can no longer be used, or `null` if they never expire. */
  expiresAt: time().nullable(),
  /** The end of a grace period after `expiresAt`, for points that a reversal gave back, or `null` if there is none. */
  graceUntil: time().nullable(),
  /** The ID of the purchase that gave the points, or `null` if no purchase did. */
  purchaseId: text().nullable(),
  /** When the points were given, in milliseconds since the Unix epoch. Points that are usable by then were never pending. */
  createdAt: time(),
});

export type StoredPointLot = RowOf<typeof pointLotRecord>;

/** The points that are left of a lot, and when they can be used. */
export type RemainingLot = Pick<StoredPointLot, "remaining" | "usableFrom" | "expiresAt" | "graceUntil">;

export const pointEntryTypes = [
  "earned",
  "returned",
  "added",
  "removed",
  "spent",
  "expired",
  "reversed",
] as const;

export const pointEntryRecord = record("pointEntries", ["passId", "sequence"], {
  /** The ID of the pass that the entry belongs to. */
  passId: text().refersTo("walletPasses", "id"),
  /** The entry's number within its pass: 1, 2, 3, … without gaps. */
  sequence: integer(),
  /** What the entry did. */
  type: oneOf(...pointEntryTypes),
  /** Number of points that the entry gave. Negative if it took points. */
  points: integer(),
  /** The change of the debt. Negative if debt was paid. */
  debt: integer(),
  /**
   * The points that each lot got or lost, as a JSON array. Each item is an array of the lot's `sequence` and the points. The points add
   * up to `points + debt`.
   */
  lots: json(),
  /** When points given by the entry become usable. `null` for other entries. */
  usableFrom: time().nullable(),
  /** When points given by the entry expire. `null` for other entries and for points that never expire. */
  expiresAt: time().nullable(),
  /** The source of the purchase that the entry is about, or `null` if it isn't about one. */
  source: text().nullable(),
  /** The receipt of the purchase that the entry is about, or `null` if it isn't about one. */
  receipt: text().nullable(),
  /** The `sequence` of the entry that this entry reverses, on the same pass. `null` unless this is a `reversed` entry. */
  reverses: integer().nullable(),
  /** True if the points come from an import, so they aren't in any day's statistics. */
  isImported: boolean(),
  /** A note about the entry, or `null` if there is none. */
  note: text().nullable(),
  ...actorColumns,
  /** When the points changed, such as the time of the purchase or the midnight at which points expired. */
  at: time(),
  /** When the entry was recorded, in milliseconds since the Unix epoch. */
  createdAt: time(),
});

export type StoredPointEntry = RowOf<typeof pointEntryRecord>;
export type PointEntryType = StoredPointEntry["type"];

/** The points of a pass after a change, with what was changed. */
export interface PointChange {
  readonly card: StoredPointCard;
  /** The lots that are new or have changed. */
  readonly lots: readonly StoredPointLot[];
  /** The new entries, in ascending order of `sequence`. They continue the ledger without a gap. */
  readonly entries: readonly StoredPointEntry[];
}

/** Points on a template's passes that expire within a span of time. */
export interface ExpiringPoints {
  readonly templateId: string;
  /** Only points that can be used at this time count, in milliseconds since the Unix epoch. */
  readonly usableAt: number;
  /** The points expire after this time, in milliseconds since the Unix epoch. */
  readonly after: number;
  /** The points expire at or before this time, in milliseconds since the Unix epoch. */
  readonly until: number;
}

/** Points that are left on passes of the same template and end at the same time. */
export interface LotSum {
  readonly templateId: string;
  /** The first moment at which the points can no longer be used, or `null` if they never expire. */
  readonly endsAt: number | null;
  /** Whether the points can't be used yet. */
  readonly isPending: boolean;
  readonly points: number;
}

/** The points and debts of some passes. */
export interface RemainingPoints {
  /** The ID of the last of the passes, or `null` if there are none. */
  readonly lastPassId: string | null;
  /** The debt on each template's passes, in ascending order of the template's ID. */
  readonly debts: readonly { readonly templateId: string; readonly debt: number }[];
  /** The points that are left. They are sorted by template, then by end with `null` last. Usable points come before pending ones. */
  readonly lots: readonly LotSum[];
}

export interface PointReads {
  /** Finds the points of a pass. Returns `null` if they never changed. */
  findPointCard(passId: string): Step<StoredPointCard | null>;
  /** Returns the IDs of the passes among these (at most 1,000) whose points ever changed. */
  passesWithPoints(passIds: readonly string[]): Step<ReadonlySet<string>>;
  /**
   * Returns the lots of these passes (at most 1,000) that end after `time` and that have points left or points that have expired,
   * sorted by pass, then by `sequence`. A lot ends at `graceUntil`, or at `expiresAt` if there is no grace.
   */
  pointLotsEndingAfter(passIds: readonly string[], time: number): Step<StoredPointLot[]>;
  /** Returns the lots of a pass that have points left, in ascending order of `sequence`. */
  openPointLots(passId: string): Step<StoredPointLot[]>;
  /** Does the same as {@link openPointLots}, but reads only what a balance needs, because a pass can have thousands of lots. */
  remainingPointLots(passId: string): Step<RemainingLot[]>;
  /** Returns the lots of a pass with these sequences (at most 1,000), in ascending order. Ignores sequences that don't exist. */
  pointLotsAt(passId: string, sequences: readonly number[]): Step<StoredPointLot[]>;
  /** Returns the lots that a purchase gave to a pass, in ascending order of `sequence`, including lots without points left. */
  pointLotsOfPurchase(passId: string, purchaseId: string): Step<StoredPointLot[]>;
  /** Lists a pass's entries, highest `sequence` first. Skips the first `offset` entries and returns at most `limit`. */
  listPointEntries(passId: string, offset: number, limit: number): Step<StoredPointEntry[]>;
  /** Returns the `earned` and `returned` entries of a pass for one purchase, in ascending order of `sequence`. */
  pointEntriesOfPurchase(passId: string, source: string, receipt: string): Step<StoredPointEntry[]>;
  /** Finds an entry of a pass by its sequence. Returns `null` if this pass has no such entry. */
  findPointEntry(passId: string, sequence: number): Step<StoredPointEntry | null>;
  /** Returns whether an entry of a pass reverses the entry with this sequence. */
  isPointEntryReversed(passId: string, sequence: number): Step<boolean>;
  /**
   * Returns the IDs of up to `limit` passes with points whose `nextChangeAt` is at or before `now`, earliest first, then by ID.
   */
  passesWithDuePoints(now: number, limit: number): Step<string[]>;
  /**
   * Returns the ordinals of the first `limit` users who have such points, in ascending order, of the users with an ordinal from
   * `from` (inclusive) to `before` (exclusive). Points whose lot has a grace period expire at its end.
   */
  holdersOfExpiringPoints(
    points: ExpiringPoints,
    from: number,
    before: number,
    limit: number,
  ): Step<number[]>;
  /**
   * Adds up the points that end after `now` and the debts of up to `limit` passes whose points ever changed: those with the lowest
   * IDs after `afterPassId`.
   */
  sumPoints(now: number, afterPassId: string, limit: number): Step<RemainingPoints>;
}

/** Look-ups across all organizations. */
export interface PointLookUps {
  /**
   * Returns the IDs of up to `limit` organizations that have a pass with points whose `nextChangeAt` is at or before `now`, sorted by
   * the earliest of these times, then by ID.
   */
  organizationsWithDuePoints(now: number, limit: number): Step<string[]>;
}

export interface PointWrites {
  /**
   * Stores the points of a pass, adds or replaces the changed lots, and appends the new entries to the ledger.
   * @throws an error if there is no such pass, if the ledger already has an entry with one of the sequence numbers, or if an earlier
   *   entry already reverses the same entry.
   */
  recordPoints(change: PointChange): Step<void>;
}
