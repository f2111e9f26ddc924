import { createLoyaltyError, validationFailed } from "../base/errors.js";
import {
  MAX_STORED_VISITS,
  type StampEntryType,
  type StampEntryWithReversal,
  type StoredStampCard,
  type StoredStampEntry,
} from "../storage/passes.js";

/** The result of a change to a card: the card's new state, and the type and amounts to record in the ledger. */
export interface StampChange {
  readonly card: StoredStampCard;
  readonly kind: EntryKind;
  readonly entry: EntryNumbers;
}

/** The type of a ledger entry that isn't a reversal. */
export type PlainEntryType = Exclude<StampEntryType, "reversed">;

type EntryKind =
  | { readonly type: PlainEntryType; readonly reverses: null }
  | { readonly type: "reversed"; readonly reverses: string };

type EntryNumbers = Pick<
  StoredStampEntry,
  "sequence" | "delta" | "stampsBefore" | "stampsAfter" | "completions"
>;

/*
 * The state always follows from the entries: currentStamps = Σ delta − maxStamps · Σ completions,
 * timesCompleted = Σ completions, rewardsAvailable = Σ completions + granted − redemptions, and totalStampsCollected = Σ of added,
 * earned, and returned. In each sum, a reversal counts as the entry that it reverses, with the opposite sign.
 */

/** Adds stamps. Whenever the card fills up, it counts as completed, earns a reward, and starts over with the remaining stamps. */
export function add(card: StoredStampCard, count: number, now: number): StampChange {
  return changeBy(card, "added", count, {
    // Stays the latest time even if the clock was set back.
    lastStampAt: card.lastStampAt === null ? now : Math.max(card.lastStampAt, now),
    visits: insertVisit(card.visits, now),
  });
}

/**
 * Removes stamps from the current card.
 * @throws {LoyaltyError} `not_enough_stamps` if the card has fewer than `count` stamps.
 */
export function remove(card: StoredStampCard, count: number): StampChange {
  if (count > card.currentStamps) throw createLoyaltyError("not_enough_stamps");
  return buildChange(card, toPlainKind("removed"), -count, 0, { currentStamps: card.currentStamps - count });
}

/**
 * Sets the number of stamps on the current card.
 * @throws {LoyaltyError} `validation_failed` if `stamps` is greater than `maxStamps` − 1.
 */
export function set(card: StoredStampCard, stamps: number): StampChange {
  const maxRemaining = card.maxStamps - 1;
  if (stamps > maxRemaining) throw validationFailed({ stamps: `must be at most ${maxRemaining}` });
  return buildChange(card, toPlainKind("set"), stamps - card.currentStamps, 0, { currentStamps: stamps });
}

/** Adds stamps that a purchase earned, like {@link add}, except that the visit belongs to the purchase. */
export function earn(card: StoredStampCard, count: number): StampChange {
  return changeBy(card, "earned", count);
}

/**
 * Returns how many stamps a return can take: the stamps on the current card and on full cards whose reward hasn't been redeemed.
 */
export function countReturnable(card: StoredStampCard): number {
  const fullCards = Math.min(card.rewardsAvailable, card.timesCompleted);
  return card.currentStamps + fullCards * card.maxStamps;
}

/** Takes stamps back that a purchase earned: from the current card first, and then from full cards. */
export function takeBack(card: StoredStampCard, count: number): StampChange {
  return changeBy(card, "returned", -count);
}

/**
 * Changes the number of stamps. Each time the card fills up, it is completed and earns a reward. If more stamps are taken than are
 * on the card, full cards and their rewards are taken back.
 */
function changeBy(
  card: StoredStampCard,
  type: "added" | "earned" | "returned",
  delta: number,
  visit: Partial<Pick<StoredStampCard, "lastStampAt" | "visits">> = {},
): StampChange {
  const stamps = card.currentStamps + delta;
  const completions = Math.floor(stamps / card.maxStamps);
  return buildChange(card, toPlainKind(type), delta, completions, {
    currentStamps: stamps - completions * card.maxStamps,
    timesCompleted: card.timesCompleted + completions,
    rewardsAvailable: card.rewardsAvailable + completions,
    totalStampsCollected: card.totalStampsCollected + delta,
    ...visit,
  });
}

export function reset(card: StoredStampCard): StampChange {
  // Not −before, which would be −0 for an empty card.
  return buildChange(card, toPlainKind("reset"), 0 - card.currentStamps, 0, { currentStamps: 0 });
}

/**
 * Redeems one reward.
 * @throws {LoyaltyError} `no_reward_available` if the card has no reward to redeem.
 */
export function redeem(card: StoredStampCard): StampChange {
  if (card.rewardsAvailable === 0) throw createLoyaltyError("no_reward_available");
  return buildChange(card, toPlainKind("redeemed"), 0, 0, { rewardsAvailable: card.rewardsAvailable - 1 });
}

/** Grants a reward that doesn't use up any stamps. */
export function grant(card: StoredStampCard): StampChange {
  return buildChange(card, toPlainKind("granted"), 0, 0, { rewardsAvailable: card.rewardsAvailable + 1 });
}

/**
 * Reverses an entry. If the reversal restores enough stamps to fill the card, the card counts as completed.
 * @throws {LoyaltyError} `not_reversible`, `already_reversed`, `not_enough_stamps` if the stamps from the entry have already been
 *   used, or `reward_already_redeemed` if the rewards from the entry have already been redeemed.
 */
export function reverse(card: StoredStampCard, entry: StampEntryWithReversal): StampChange {
  if (entry.type === "reversed" || entry.type === "earned" || entry.type === "returned")
    throw createLoyaltyError("not_reversible");
  if (entry.isReversed) throw createLoyaltyError("already_reversed");
  const { maxStamps, timesCompleted, totalStampsCollected } = card;
  const stampsLeft = card.currentStamps - entry.delta + maxStamps * entry.completions;
  if (stampsLeft < 0) throw createLoyaltyError("not_enough_stamps");
  const completions = Math.floor(stampsLeft / maxStamps) - entry.completions;
  const rewardsAvailable = card.rewardsAvailable + completions + computeRestoredRewards(entry);
  if (rewardsAvailable < 0) throw createLoyaltyError("reward_already_redeemed");
  return buildChange(card, { type: "reversed", reverses: entry.id }, 0 - entry.delta, completions, {
    currentStamps: stampsLeft % maxStamps,
    timesCompleted: timesCompleted + completions,
    rewardsAvailable,
    totalStampsCollected: totalStampsCollected - (entry.type === "added" ? entry.delta : 0),
    visits: entry.type === "added" ? removeVisit(card.visits, entry.createdAt) : card.visits,
  });
}

/** Returns how many rewards a reversal restores (negative if it takes one back), not counting rewards from full cards. */
function computeRestoredRewards({ type }: Pick<StampEntryWithReversal, "type">): number {
  if (type === "redeemed") return 1;
  return type === "granted" ? -1 : 0;
}

/**
 * Inserts a visit into the list of newest visits. It is usually the newest, but after a clock was set back it may be too old to be
 * stored.
 */
export function insertVisit(visits: string, at: number): string {
  const times = listTimes(visits);
  const index = times.findIndex((time) => Number(time) <= at);
  times.splice(index === -1 ? times.length : index, 0, `${at}`);
  return `[${times.slice(0, MAX_STORED_VISITS).join()}]`;
}

export function removeVisit(visits: string, at: number): string {
  const times = listTimes(visits);
  const index = times.indexOf(`${at}`);
  if (index !== -1) times.splice(index, 1);
  return `[${times.join()}]`;
}

/** Returns the stored times as strings: recording a sale doesn't need to parse them. */
function listTimes(visits: string): string[] {
  return visits === "[]" ? [] : visits.slice(1, -1).split(",");
}

/**
 * Returns whether a change removed a visit from a card that stored the maximum number of visits. If so, the card has room for an
 * older visit from the ledger.
 */
export function needsOlderVisits(before: StoredStampCard, after: StoredStampCard): boolean {
  return (
    listTimes(before.visits).length === MAX_STORED_VISITS &&
    listTimes(after.visits).length < MAX_STORED_VISITS
  );
}

/**
 * Returns the times of a card's newest visits, up to the number that a card stores, as a JSON array. Reversed visits are left out.
 * @param entries the ledger's entries, in any order.
 * @param purchaseTimes the times of the newest purchases that have stamps on the card.
 */
export function listNewestVisits(
  entries: readonly StoredStampEntry[],
  purchaseTimes: readonly number[],
): string {
  const reversedIds = new Set(entries.map(({ reverses }) => reverses));
  const times = entries.flatMap(({ id, type, createdAt }) =>
    type === "added" && !reversedIds.has(id) ? [createdAt] : [],
  );
  const newestFirst = [...times, ...purchaseTimes].sort((a, b) => b - a);
  return JSON.stringify(newestFirst.slice(0, MAX_STORED_VISITS));
}

function toPlainKind(type: PlainEntryType): EntryKind {
  return { type, reverses: null };
}

// Lists every field by name: V8 would create a separate object shape for a literal that spreads two others.
function buildChange(
  before: StoredStampCard,
  kind: EntryKind,
  delta: number,
  completions: number,
  change: Partial<StoredStampCard>,
): StampChange {
  const sequence = before.entries + 1;
  const stampsAfter = change.currentStamps ?? before.currentStamps;
  const card: StoredStampCard = {
    maxStamps: before.maxStamps,
    currentStamps: stampsAfter,
    timesCompleted: change.timesCompleted ?? before.timesCompleted,
    rewardsAvailable: change.rewardsAvailable ?? before.rewardsAvailable,
    totalStampsCollected: change.totalStampsCollected ?? before.totalStampsCollected,
    lastStampAt: change.lastStampAt ?? before.lastStampAt,
    visits: change.visits ?? before.visits,
    entries: sequence,
  };
  const stampsBefore = before.currentStamps;
  return { card, kind, entry: { sequence, delta, stampsBefore, stampsAfter, completions } };
}
