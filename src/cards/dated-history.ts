import { invalid } from "../errors.js";

/** What was, and when: a day alone, or a time with its zone. */
interface Dated {
  readonly at: string;
}

/** An entry with the time that it stands for, in milliseconds, and its place in what was given. */
export interface PlacedEntry<Entry extends Dated> {
  readonly entry: Entry;
  readonly at: number;
  readonly nth: number;
}

const DAY_MS = 86_400_000;

/**
 * A history oldest first, whichever way round it was given. Where it was given so, entries of one time stay as they are. Else their
 * times have to tell the order: a day alone does not where another entry is of the same day.
 * @throws {LoyaltyError} `validation_failed` on the first entry that is older than the one before it, where times don't tell the
 *   order.
 */
export function oldestFirst<Entry extends Dated>(
  history: readonly Entry[],
  path: string,
): readonly PlacedEntry<Entry>[] {
  const given = history.map((entry, nth) => ({ entry, at: Date.parse(entry.at), nth }));
  const misplaced = given.find(({ at }, nth) => at < (given[nth - 1]?.at ?? at));
  if (misplaced === undefined) return given;
  const sorted = given.toSorted((one, other) => one.at - other.at);
  let end = Number.NEGATIVE_INFINITY;
  for (const { entry, at } of sorted) {
    if (at <= end) throw invalid({ [`${path}.${misplaced.nth}`]: UNTOLD });
    end = isDay(entry.at) ? at + DAY_MS - 1 : at;
  }
  return sorted;
}

const UNTOLD =
  "is older than the entry before it, and others are of one time: give the history oldest first, or each a time of its own";

function isDay(text: string): boolean {
  return !text.includes("T");
}
