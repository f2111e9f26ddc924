import { timestamp } from "./clock.js";

const DAY_MS = 86_400_000;

/** The day of UTC of a time, in days since the Unix epoch. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** @param date as `YYYY-MM-DD`. */
export function dayOfDate(date: string): number {
  return dayOf(Date.parse(date));
}

/** A day as `YYYY-MM-DD`. */
export function dateOf(day: number): string {
  return timestamp(day * DAY_MS).slice(0, 10);
}
