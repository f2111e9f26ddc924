import type { Step } from "../base/concurrency/step.js";
import { boolean, integer, json, list, oneOf, type RowOf, record, text, time } from "./record.js";

/** A purchase as it was last recorded. It stays when its customer is deleted. */
export const purchaseRecord = record("purchases", ["source", "receipt"], {
  /** The purchase's ID. The core makes it unique across all organizations, and storage doesn't check it. */
  id: text().fixed(),
  /** The till or shop that recorded the purchase. */
  source: text(),
  /** The number of the receipt at its source. */
  receipt: text(),
  /** The host's number for this state of the purchase, or `null` if the host never sent one. */
  revision: integer().nullable(),
  /** The ID of the customer who made the purchase, or `null` if none is named or the customer was deleted. */
  userId: text().nullable(),
  /**
   * What was accepted as the purchase's customer so far, so that it keeps naming the same customer. Each item is the hash of an ID
   * or a code, a space, and the ID of the user whom it names.
   */
  references: list(),
  /** When the purchase happened, in milliseconds since the Unix epoch. */
  at: time(),
  /** The currency as an ISO 4217 code. */
  currency: text(),
  /** The lines with what was returned of them, as a JSON array. The lines' names are personal. */
  lines: json(),
  /**
   * What remains of the lines' amounts after returns, in minor units. `null` if nothing remains, neither an amount nor a piece. Derived
   * from `lines`.
   */
  remainingAmount: integer().nullable(),
  /** The part of the total that was paid with points, in minor units. */
  paidWithPoints: integer(),
  /** A note about the purchase, or `null` if there is none. */
  note: text().nullable(),
  /** True once pending points of the purchase were made usable. */
  isConfirmed: boolean(),
  /** True once the customer was deleted or erased. The purchase never changes again. */
  isFrozen: boolean(),
  /** When the purchase was first recorded, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
  /** When the purchase was last changed, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

export type StoredPurchase = RowOf<typeof purchaseRecord>;

/** A customer's purchase after returns. */
export interface RemainingPurchase {
  /** The ID of the customer. */
  readonly userId: string;
  /** When the purchase happened, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The currency as an ISO 4217 code. */
  readonly currency: string;
  /** What remains of the lines' amounts, in minor units. */
  readonly amount: number;
}

/**
 * A purchase's effect on one pass. The program and the daily allowance were fixed when the purchase first named the pass's
 * customer.
 */
export const purchaseEffectRecord = record("purchaseEffects", ["purchaseId", "passId"], {
  /** The ID of the purchase. */
  purchaseId: text().fixed(),
  /** The ID of the pass. */
  passId: text().refersTo("walletPasses", "id"),
  /** The ID of the customer who holds the pass. */
  userId: text().fixed(),
  /** The ID of the pass's template. */
  templateId: text().fixed(),
  /** The version of the template's program. */
  programVersion: integer().fixed(),
  /** What the pass collects. */
  unit: oneOf("points", "stamps").fixed(),
  /** Number of units that the day's limit still allowed, or `null` if the program has no such limit. */
  dailyAllowance: integer().nullable().fixed(),
  /** Number of units that the purchase gives now. */
  units: integer(),
  /** Number of units that had to come back but weren't taken. They are used up before the purchase gives more. */
  notTaken: integer(),
  /** Number of units that the limits cut off. */
  cut: integer(),
  /** Why the purchase gives nothing, or `null` if its rules decide. */
  because: oneOf("currency_mismatch").nullable(),
  /** The number of this effect within its purchase, from 0. */
  position: integer().fixed(),
  /** When the purchase happened, copied from the purchase. */
  at: time(),
});

export type StoredPurchaseEffect = RowOf<typeof purchaseEffectRecord>;

/** A return as the host sent it, so that the same return again changes nothing. */
export const purchaseReturnRecord = record("purchaseReturns", ["purchaseId", "returnId"], {
  /** The ID of the purchase. */
  purchaseId: text(),
  /** The host's ID for the return. */
  returnId: text(),
  /** When the goods came back, in milliseconds since the Unix epoch, or `null` if the host didn't say. */
  at: time().nullable(),
  /** The returned lines as the host sent them, as a JSON array, or `null` if everything came back. */
  lines: json().nullable(),
  /** A note about the return, or `null` if there is none. */
  note: text().nullable(),
  /** When the return was recorded, in milliseconds since the Unix epoch. */
  createdAt: time(),
});

export type StoredPurchaseReturn = RowOf<typeof purchaseReturnRecord>;

/** Which purchases to list. `null` means any. */
export interface PurchaseFilter {
  readonly userId: string | null;
  /** Only purchases whose current customer's card is this pass. */
  readonly passId: string | null;
  readonly source: string | null;
  /** Only purchases at or after this time, in milliseconds since the Unix epoch. */
  readonly from: number | null;
  /** Only purchases before this time, in milliseconds since the Unix epoch. */
  readonly to: number | null;
}

export interface PurchaseReads {
  /** Finds a purchase by its source and receipt. Returns `null` if there is none. */
  findPurchase(source: string, receipt: string): Step<StoredPurchase | null>;
  /**
   * Lists purchases, newest `at` first, then by ID in descending order. Skips the first `offset` purchases and returns at most
   * `limit`, with the number of all purchases that match.
   */
  listPurchases(
    filter: PurchaseFilter,
    offset: number,
    limit: number,
  ): Step<{ items: StoredPurchase[]; total: number }>;
  /**
   * Reads purchases in batches, in the order of {@link listPurchases}.
   * @param before the last purchase of the previous batch, or `null` for the first batch.
   */
  purchasesBefore(before: Pick<StoredPurchase, "at" | "id"> | null, limit: number): Step<StoredPurchase[]>;
  /**
   * Returns what remains of the purchases of these users (at most 1,000) at or after `from`, newest `at` first, then by ID in
   * descending order. Leaves out purchases that were returned completely.
   */
  remainingPurchasesOf(userIds: readonly string[], from: number): Step<RemainingPurchase[]>;
  /** Returns the effects of these purchases (at most 1,000), sorted by `position`, then by purchase ID, then by pass ID. */
  effectsOfPurchases(purchaseIds: readonly string[]): Step<StoredPurchaseEffect[]>;
  /** Adds up the units that purchases from `from` to before `until`, except one, give to a pass now. */
  unitsOfPurchases(passId: string, from: number, until: number, exceptPurchaseId: string): Step<number>;
  /**
   * Returns the times of the newest purchases that have stamps on a pass, newest first, at most `limit`. A purchase has stamps on
   * the pass if its effect's `units` and `notTaken` add up to more than 0.
   */
  purchaseVisits(passId: string, limit: number): Step<number[]>;
  /** Finds a return of a purchase by the host's ID. Returns `null` if there is none. */
  findPurchaseReturn(purchaseId: string, returnId: string): Step<StoredPurchaseReturn | null>;
  /** Returns the returns of a purchase, oldest first, then by `returnId`. */
  returnsOfPurchase(purchaseId: string): Step<StoredPurchaseReturn[]>;
}

export interface PurchaseWrites {
  /**
   * Adds a purchase, or replaces the one with the same source and receipt, except `id` and `createdAt`.
   * @param before the stored purchase that is replaced, or `null` if there is none.
   */
  putPurchase(purchase: StoredPurchase, before: StoredPurchase | null): Step<void>;
  /** Adds an effect, or replaces the one of the same purchase and pass. The pass must exist. */
  putPurchaseEffect(effect: StoredPurchaseEffect): Step<void>;
  /** Adds a return, or replaces the one with the same ID. */
  putPurchaseReturn(purchaseReturn: StoredPurchaseReturn): Step<void>;
}
