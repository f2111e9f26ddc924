import { failure, invalid } from "../errors.js";
import type { StampEntryType, StoredCard, StoredStampEntry } from "../storage/passes.js";

/** What a write does to a card: its new state, and the part of the ledger entry that follows from it. */
export interface StampChange {
  readonly card: StoredCard;
  readonly entry: Pick<
    StoredStampEntry,
    "sequence" | "type" | "delta" | "stampsBefore" | "stampsAfter" | "completions"
  >;
}

/*
 * The state always follows from the entries: currentStamps = Σ delta − maxStamps · Σ completions,
 * timesCompleted = Σ completions, rewardsAvailable = Σ completions − redemptions, totalStampsCollected = Σ of added.
 */

/** Each time the card is full it counts as completed, gives a reward and starts again with the overflow. */
export function add(card: StoredCard, count: number, now: number): StampChange {
  const reached = card.currentStamps + count;
  const completions = Math.floor(reached / card.maxStamps);
  const { timesCompleted, rewardsAvailable, totalStampsCollected } = card;
  return changed(card, "added", count, completions, {
    currentStamps: reached % card.maxStamps,
    timesCompleted: timesCompleted + completions,
    rewardsAvailable: rewardsAvailable + completions,
    totalStampsCollected: totalStampsCollected + count,
    lastStampAt: now,
  });
}

/** @throws {LoyaltyError} `not_enough_stamps`. */
export function remove(card: StoredCard, count: number): StampChange {
  if (count > card.currentStamps) throw failure("not_enough_stamps");
  return changed(card, "removed", -count, 0, { currentStamps: card.currentStamps - count });
}

/** @throws {LoyaltyError} `validation_failed` on `stamps` above `maxStamps` − 1. */
export function set(card: StoredCard, stamps: number): StampChange {
  const most = card.maxStamps - 1;
  if (stamps > most) throw invalid({ stamps: `must be at most ${most}` });
  return changed(card, "set", stamps - card.currentStamps, 0, { currentStamps: stamps });
}

export function reset(card: StoredCard): StampChange {
  // Not −before: that would be −0 for an empty card.
  return changed(card, "reset", 0 - card.currentStamps, 0, { currentStamps: 0 });
}

/** @throws {LoyaltyError} `no_reward_available`. */
export function redeem(card: StoredCard): StampChange {
  if (card.rewardsAvailable === 0) throw failure("no_reward_available");
  return changed(card, "redeemed", 0, 0, { rewardsAvailable: card.rewardsAvailable - 1 });
}

function changed(
  before: StoredCard,
  type: StampEntryType,
  delta: number,
  completions: number,
  change: Partial<StoredCard>,
): StampChange {
  const sequence = before.entries + 1;
  const card = { ...before, ...change, entries: sequence };
  const { currentStamps: stampsAfter } = card;
  return {
    card,
    entry: { sequence, type, delta, stampsBefore: before.currentStamps, stampsAfter, completions },
  };
}
