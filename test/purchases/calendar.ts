import { dayIn, offsetIn, startOfDay } from "../../src/base/values/calendar-days.js";
import { DAY_MS } from "../../src/base/values/clock.js";
import type { LocalTime } from "./earning.js";

/** A template's settings for when points of a purchase become usable and when they expire. */
export interface PointTerms {
  readonly pendingDays?: number;
  readonly expiry?: Expiry | null;
  readonly graceDays?: number;
}

export type Expiry =
  | { readonly days: number }
  | { readonly months: number; readonly to: "day" | "month" | "year" };

export function readLocalTime(timeZone: string, at: number): LocalTime {
  const shown = at + offsetIn(timeZone, at);
  return { day: dayIn(timeZone, at), time: shown - Math.floor(shown / DAY_MS) * DAY_MS };
}

/** Returns the first time at which points that were earned at a time are usable. */
export function findFirstUse({ pendingDays = 0 }: PointTerms, timeZone: string, at: number): number {
  return startOfDay(timeZone, dayIn(timeZone, at) + pendingDays);
}

/** Returns the midnight at which points that were earned at a time expire, or `null` if they never do. */
export function findEnd({ expiry = null }: PointTerms, timeZone: string, at: number): number | null {
  return expiry === null ? null : startOfDay(timeZone, findLastDay(expiry, dayIn(timeZone, at)) + 1);
}

/** Returns the midnight until which points that are restored now outlast their expiry, or `null` if they don't. */
export function findEndOfGrace({ graceDays = 0 }: PointTerms, timeZone: string, now: number): number | null {
  return graceDays === 0 ? null : startOfDay(timeZone, dayIn(timeZone, now) + graceDays + 1);
}

function findLastDay(expiry: Expiry, day: number): number {
  if ("days" in expiry) return day + expiry.days;
  const date = new Date(day * DAY_MS);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + expiry.months];
  const lastOfMonth = countDays(year, month + 1) - 1;
  if (expiry.to === "month") return lastOfMonth;
  if (expiry.to === "day") return Math.min(countDays(year, month) + date.getUTCDate() - 1, lastOfMonth);
  return countDays(new Date(lastOfMonth * DAY_MS).getUTCFullYear() + 1, 0) - 1;
}

/** Returns the days from 1 January 1970 to the first of a month. Months count from 0; 12 is in the next year. */
function countDays(year: number, month: number): number {
  return Date.UTC(year, month, 1) / DAY_MS;
}
