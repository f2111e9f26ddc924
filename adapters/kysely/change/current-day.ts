import { type CountedDay, type DayCounts, emptyDayCounts } from "../../../src/storage/day-counts.js";

/** The newest day of an organization, and the numbers that were counted on it: one that is missing is 0. */
export interface CurrentDay extends Partial<DayCounts> {
  readonly day: number;
}

/** The open day as an organization's row has it. */
export function parseCurrentDay(text: string | null): CurrentDay | null {
  return text === null ? null : JSON.parse(text);
}

/** The text that {@link parseCurrentDay} reads. */
export function formatCurrentDay(day: CurrentDay | null): string | null {
  return day === null
    ? null
    : JSON.stringify(day, (name, value) => (value === 0 && name !== "day" ? undefined : value));
}

/** The open day with all of its numbers. */
export function countedDayOf(currentDayCounts: CurrentDay): CountedDay {
  return { ...emptyDayCounts, ...currentDayCounts };
}
