import { type CountedDay, noCounts } from "../../../src/storage/day-counts.js";

/** The open day of an organization, as its row has it: JSON without what is 0. */
export function openDayIn(text: string | null): CountedDay | null {
  return text === null ? null : { ...noCounts, ...JSON.parse(text) };
}

/** The text that {@link openDayIn} reads. */
export function openDayText(day: CountedDay | null): string | null {
  return day === null
    ? null
    : JSON.stringify(day, (name, value) => (value === 0 && name !== "day" ? undefined : value));
}
