import { type CountedDay, type DayCounts, emptyDayCounts } from "../../../../src/storage/day-counts.js";

/** The most recent day on which something was counted for an organization, and that day's counts. A missing count is 0. */
export interface CurrentDay extends Partial<DayCounts> {
  readonly day: number;
}

/** Parses the value of the `currentDayCounts` column. Returns `null` if nothing has been counted yet. */
export function parseCurrentDay(text: string | null): CurrentDay | null {
  return text === null ? null : JSON.parse(text);
}

/** Formats a day and its counts for the `currentDayCounts` column. Omits counts that are 0. */
export function formatCurrentDay(day: CurrentDay | null): string | null {
  return day === null
    ? null
    : JSON.stringify(day, (name, value) => (value === 0 && name !== "day" ? undefined : value));
}

/** Returns the day with every missing count set to 0. */
export function countedDayOf(currentDayCounts: CurrentDay): CountedDay {
  return { ...emptyDayCounts, ...currentDayCounts };
}
