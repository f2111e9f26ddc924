import type { StampCard, StampEntry } from "loyalty-kit";

/** Returns the state to which the entries add up by the rules. */
export function sumOf(entries: readonly StampEntry[], maxStamps: number): Partial<StampCard> {
  const sumEntries = (of: (entry: StampEntry) => number) =>
    entries.reduce((total, entry) => total + of(entry), 0);
  const timesCompleted = sumEntries(({ completions }) => completions);
  const added = entries.filter(({ type }) => type === "added");
  const reversed = new Set(entries.map(({ reverses }) => reverses));
  const keptStamp_entry = entries.filter(({ id }) => !reversed.has(id));
  return {
    currentStamps: sumEntries(({ delta }) => delta) - maxStamps * timesCompleted,
    timesCompleted,
    rewardsAvailable: timesCompleted - keptStamp_entry.filter(({ type }) => type === "redeemed").length,
    totalStampsCollected: keptStamp_entry.reduce(
      (total, { type, delta }) => total + (type === "added" ? delta : 0),
      0,
    ),
    lastStampAt:
      added
        .map(({ createdAt }) => createdAt)
        .sort()
        .at(-1) ?? null,
  };
}
