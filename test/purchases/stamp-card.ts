import { refuse } from "./refuse.js";

/** The stamps of one card: an open card, and full cards whose reward isn't redeemed. */
export interface StampCard {
  readonly unit: "stamps";
  readonly maxStamps: number;
  readonly current: number;
  readonly full: number;
  /** Times at which stamps were added by hand. */
  readonly visits: readonly number[];
  readonly entries: readonly StampEntry[];
}

export interface StampEntry {
  readonly id: number;
  readonly type: "earned" | "returned" | "added" | "removed" | "redeemed";
  readonly delta: number;
  readonly completions: number;
}

export function createStampCard(maxStamps: number): StampCard {
  return { unit: "stamps", maxStamps, current: 0, full: 0, visits: [], entries: [] };
}

export function earnStamps(card: StampCard, stamps: number): StampCard {
  return moveStamps(card, "earned", stamps);
}

/** Takes stamps from the open card first and then from full ones. A redeemed card has none to take. */
export function returnStamps(card: StampCard, stamps: number): { card: StampCard; notTaken: number } {
  const taken = Math.min(stamps, card.current + card.full * card.maxStamps);
  return { card: taken === 0 ? card : moveStamps(card, "returned", -taken), notTaken: stamps - taken };
}

export function addStamps(card: StampCard, stamps: number, now: number): StampCard {
  return { ...moveStamps(card, "added", stamps), visits: [...card.visits, now] };
}

/** Removes stamps from the open card. Full cards stay. */
export function removeStamps(card: StampCard, stamps: number): StampCard {
  return stamps > card.current ? refuse("not_enough_stamps") : moveStamps(card, "removed", -stamps);
}

export function redeemReward(card: StampCard): StampCard {
  if (card.full === 0) return refuse("no_reward_available");
  const id = card.entries.length + 1;
  const entries = [...card.entries, { id, type: "redeemed" as const, delta: 0, completions: 0 }];
  return { ...card, full: card.full - 1, entries };
}

function moveStamps(
  card: StampCard,
  type: Exclude<StampEntry["type"], "redeemed">,
  delta: number,
): StampCard {
  const stamps = card.current + card.full * card.maxStamps + delta;
  const full = Math.floor(stamps / card.maxStamps);
  const entry = { id: card.entries.length + 1, type, delta, completions: full - card.full };
  return { ...card, full, current: stamps % card.maxStamps, entries: [...card.entries, entry] };
}
