import type { StampCard, StampEntry } from "loyalty-kit";

/** The state that the entries add up to, as the rules say it. */
export function sumOf(entries: readonly StampEntry[], maxStamps: number): Partial<StampCard> {
  const sum = (of: (entry: StampEntry) => number) => entries.reduce((total, entry) => total + of(entry), 0);
  const timesCompleted = sum(({ completions }) => completions);
  const added = entries.filter(({ type }) => type === "added");
  return {
    currentStamps: sum(({ delta }) => delta) - maxStamps * timesCompleted,
    timesCompleted,
    rewardsAvailable: timesCompleted - entries.filter(({ type }) => type === "redeemed").length,
    totalStampsCollected: added.reduce((total, { delta }) => total + delta, 0),
    lastStampAt: added.at(-1)?.createdAt ?? null,
  };
}
