import { CellError } from "./cells.js";

/** The possible orders of day and month in dates such as `1/2/2025`. */
export const dayOrders = ["day-first", "month-first"] as const;

export type DayOrder = (typeof dayOrders)[number];

const isoTime = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;
const yearFirst = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})\.?$/;
const yearLast = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/;

/**
 * Parses a date, or a time with a time zone. A date can look like `2025-02-01`, `2025/2/1`, or `1.2.2025`. A date like `1/2/2025`
 * or `1-2-2025` requires `order`, unless only one order gives a valid date.
 * @returns the date or time in ISO 8601 format.
 * @throws {CellError} if the text is neither a date nor a time, or if it is ambiguous and `order` is `null`.
 */
export function timeIn(column: string, text: string, order: DayOrder | null): string {
  const [day, other] = listPossibleDays(text, order);
  if (day === undefined) throw new CellError(column, { code: "no_time" });
  if (other !== undefined) throw new CellError(column, { code: "day_order_unknown", text });
  return day;
}

/** Returns whether the order of day and month must be known to parse a date. */
export function needsOrder(text: string): boolean {
  return listPossibleDays(text, null).length > 1;
}

/** Returns the distinct days or times that the text can stand for. */
function listPossibleDays(text: string, order: DayOrder | null): string[] {
  const [, isoDay] = isoTime.exec(text) ?? [];
  if (isoDay !== undefined) return isDay(isoDay) && !Number.isNaN(Date.parse(text)) ? [text] : [];
  const [, year, , month, day] = yearFirst.exec(text) ?? [];
  if (year !== undefined) return listValidDays([year, month, day]);
  const [, first, sign, second, lastYear] = yearLast.exec(text) ?? [];
  // Dates with dots are always day-first.
  const effectiveOrder = sign === "." ? "day-first" : order;
  const days = [
    ...(effectiveOrder === "month-first" ? [] : listValidDays([lastYear, second, first])),
    ...(effectiveOrder === "day-first" ? [] : listValidDays([lastYear, first, second])),
  ];
  return [...new Set(days)];
}

function listValidDays(parts: readonly (string | undefined)[]): string[] {
  const day = parts.map((part = "") => part.padStart(2, "0")).join("-");
  return isDay(day) ? [day] : [];
}

/** Returns whether the day exists in the calendar. */
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}
