import { dayIn, startOfDay } from "../base/values/calendar-days.js";
import { DAY_MS, dayOf } from "../base/values/clock.js";
import type { PointTerms } from "../cards/program-schema.js";

/**
 * Returns the first instant at which points of a purchase are usable.
 * @param at when the purchase happened.
 */
export function computeUsableFrom({ pendingDays }: PointTerms, timeZone: string, at: number): number {
  return startOfDay(timeZone, dayIn(timeZone, at) + pendingDays);
}

/**
 * Returns the midnight at which points of a purchase expire, or `null` if they never do.
 * @param at when the purchase happened.
 */
export function computeExpiry({ expiry }: PointTerms, timeZone: string, at: number): number | null {
  return expiry === null ? null : computeEndOfDay(timeZone, computeLastDay(expiry, dayIn(timeZone, at)));
}

/**
 * Returns the midnight until which points stay usable after a reversal gives them back, whenever their lot has expired. Returns
 * `null` if there is no grace.
 * @param now when the reversal happens.
 */
export function computeEndOfGrace({ graceDays }: PointTerms, timeZone: string, now: number): number | null {
  return graceDays === 0 ? null : computeEndOfDay(timeZone, dayIn(timeZone, now) + graceDays);
}

/** Returns the midnight at which a local day ends. */
export function computeEndOfDay(timeZone: string, day: number): number {
  return startOfDay(timeZone, day + 1);
}

/** Returns the last day on which points of the given day are usable. */
function computeLastDay(expiry: NonNullable<PointTerms["expiry"]>, day: number): number {
  if ("days" in expiry) return day + expiry.days;
  const date = new Date(day * DAY_MS);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() + expiry.months;
  // Day 0 is the last day of the month before. A month after December is in a later year.
  const endOfMonth = dayOf(Date.UTC(year, month + 1, 0));
  switch (expiry.to) {
    case "day":
      // A date that the month doesn't have, such as 31 February, is in the next month.
      return Math.min(dayOf(Date.UTC(year, month, date.getUTCDate())), endOfMonth);
    case "month":
      return endOfMonth;
    case "year":
      return dayOf(Date.UTC(year + Math.floor(month / 12), 12, 0));
  }
}
