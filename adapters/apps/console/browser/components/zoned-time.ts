import { locale } from "../words/en/forms.js";

/** Returns the browser's time zone, such as `Europe/Vienna`. */
export const getBrowserTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the local time in a time zone, to the minute, in the format of `datetime-local` inputs, such as `2026-11-23T09:00`. */
export function toWallTime(timeZone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  }).formatToParts(at);
  const getPart = (name: string) => parts.find(({ type }) => type === name)?.value ?? "";
  return `${getPart("year").padStart(4, "0")}-${getPart("month")}-${getPart("day")}T${getPart("hour")}:${getPart("minute")}`;
}

/**
 * Converts a local time in a time zone to a `Date`. If a clock change skips the local time, it is interpreted with the UTC offset
 * from before the change.
 * @returns the date, or `null` if the local time is malformed.
 */
export function parseWallTime(timeZone: string, wall: string): Date | null {
  const wallMs = Date.parse(`${wall}Z`);
  if (Number.isNaN(wallMs)) return null;
  const computeOffset = (at: number) => Date.parse(`${toWallTime(timeZone, new Date(at))}Z`) - at;
  const firstGuess = wallMs - computeOffset(wallMs);
  const at = wallMs - computeOffset(firstGuess);
  return new Date(toWallTime(timeZone, new Date(at)) === wall ? at : Math.max(firstGuess, at));
}

/**
 * Returns whether a time of day, such as `22:30`, is in the range from `from` (inclusive) to `to` (exclusive). The range can span
 * midnight.
 */
export function isBetween(
  time: string,
  { from, to }: { readonly from: string; readonly to: string },
): boolean {
  return from < to ? time >= from && time < to : time >= from || time < to;
}

/** Formats a date in the given time zone, such as "Nov 23, 2026". */
export function formatDayIn(timeZone: string, timestamp: string | Date): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone }).format(new Date(timestamp));
}

/** Formats a time in the given time zone, such as "Nov 23, 2026, 9:00 AM". */
export function formatTimeIn(timeZone: string, timestamp: string | Date): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone });
  return format.format(new Date(timestamp));
}

/** Formats a time in the given time zone and appends the zone's name, such as "Nov 23, 2026, 9:00 AM (Europe/Vienna)". */
export function formatZonedTime(timeZone: string, timestamp: string | Date): string {
  return `${formatTimeIn(timeZone, timestamp)} (${timeZone})`;
}
