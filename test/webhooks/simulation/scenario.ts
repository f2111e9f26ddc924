import type { Mood } from "./network.js";

type Random = (bound: number) => number;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A time from which a receiver is in a mood. */
interface Spell {
  readonly from: number;
  readonly mood: Mood;
}

/** The moods of a receiver over time. It works in the end, unless it is gone. */
export class Fate {
  constructor(private readonly spells: readonly Spell[]) {}

  getMood(time: number): Mood {
    return this.spells.findLast(({ from }) => from <= time)?.mood ?? "well";
  }
}

const troubles: readonly Mood[] = [
  "slow",
  "failing",
  "busy",
  "hanging",
  "resetting",
  "redirecting",
  "fickle",
];

/**
 * Chooses periods of trouble and of normal operation, some seconds to some hours long, until a time from which the
 * receiver works.
 */
export function chooseFate(random: Random, start: number, end: number): Fate {
  const spells: Spell[] = [];
  let from = start;
  while (from < end) {
    const isWell = random(2) === 0;
    const mood = isWell ? "well" : (troubles[random(troubles.length)] ?? "failing");
    spells.push({ from, mood });
    from += random(3) === 0 ? random(10 * HOUR) : random(30 * MINUTE);
  }
  return new Fate([...spells, { from: end, mood: "well" }]);
}

/** Creates the fate of a receiver that works at first, and is gone from a certain time on. */
export function createGoneFate(from: number): Fate {
  return new Fate([{ from, mood: "gone" }]);
}
