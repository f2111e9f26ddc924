import { type CountedDay, type DayCounts, emptyDayCounts } from "../../../../src/storage/day-counts.js";

/** An organization's newest day and its counts. A missing count is 0. */
export interface CurrentDay extends Partial<DayCounts> {
  readonly day: number;
}

/** Parses the `currentDayCounts` column of an organization's row. */
export function parseCurrentDay(text: string | null): CurrentDay | null {
  return text === null ? null : JSON.parse(text);
}

/** Formats the current day for the column that {@link parseCurrentDay} parses. Omits counts that are 0. */
export function formatCurrentDay(day: CurrentDay | null): string | null {
  return day === null
    ? null
    : JSON.stringify(day, (name, value) => (value === 0 && name !== "day" ? undefined : value));
}

/** Returns the current day with every count filled in. */
export function countedDayOf(currentDayCounts: CurrentDay): CountedDay {
  return { ...emptyDayCounts, ...currentDayCounts };
}
