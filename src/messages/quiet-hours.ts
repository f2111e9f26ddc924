import type { StoredMessageSettings } from "../storage/mail.js";
import { offsetIn } from "../values/calendar-days.js";
import { DAY_MS } from "../values/clock.js";

const MINUTE_MS = 60_000;

/** Times of the day as `HH:MM`. One that is later than the other spans midnight. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
}

/** The quiet hours of an organization; `null` if it has none. */
export function quietHoursOf(
  settings: Pick<StoredMessageSettings, "quietFrom" | "quietTo"> | null,
): QuietHours | null {
  const { quietFrom: from = null, quietTo: to = null } = settings ?? {};
  return from === null || to === null ? null : { from, to };
}

/**
 * Returns the first instant from `at` on outside quiet hours, in local time: an hour that clocks skip is over when they have
 * skipped it, and one that repeats is quiet twice.
 */
export function quietUntil(hours: QuietHours | null, timeZone: string, at: number): number {
  if (hours === null) return at;
  const from = timeOfDay(hours.from);
  const to = timeOfDay(hours.to);
  let time = at;
  // Clocks change at most some times within one quiet night.
  for (;;) {
    const offset = offsetIn(timeZone, time);
    const shown = remainder(time + offset, DAY_MS);
    if (!isBetween(from, to, shown)) return time;
    const end = time + remainder(to - shown, DAY_MS);
    if (offsetIn(timeZone, end) === offset) return end;
    time = firstWithOther(timeZone, offset, time, end);
  }
}

function isBetween(from: number, to: number, time: number): boolean {
  return from < to ? from <= time && time < to : from <= time || time < to;
}

/** Finds the first instant after `before` with another UTC offset, given that `after` has another one. */
function firstWithOther(timeZone: string, offset: number, before: number, after: number): number {
  let [same, other] = [before, after];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetIn(timeZone, middle) === offset) same = middle;
    else other = middle;
  }
  return other;
}

function timeOfDay(text: string): number {
  const [hours = "", minutes = ""] = text.split(":");
  return (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

function remainder(value: number, of: number): number {
  return ((value % of) + of) % of;
}
