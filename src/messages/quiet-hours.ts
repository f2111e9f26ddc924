import { offsetIn } from "../base/values/calendar-days.js";
import { DAY_MS, MINUTE_MS } from "../base/values/clock.js";
import type { StoredMessageSettings } from "../storage/mail.js";

/**
 * The start and end of quiet hours, as times of day in the form `HH:MM`. If `from` is later than `to`, the quiet hours span
 * midnight.
 */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
}

export function quietHoursOf(
  settings: Pick<StoredMessageSettings, "quietFrom" | "quietTo"> | null,
): QuietHours | null {
  const { quietFrom: from = null, quietTo: to = null } = settings ?? {};
  return from === null || to === null ? null : { from, to };
}

/**
 * Returns `at` if it is outside quiet hours in local time, or otherwise the time when the quiet hours end. If a clock change skips
 * the end of quiet hours, they end at the change. If an hour occurs twice, both occurrences are quiet.
 */
export function quietUntil(hours: QuietHours | null, timeZone: string, at: number): number {
  if (hours === null) return at;
  const from = timeOfDay(hours.from);
  const to = timeOfDay(hours.to);
  let time = at;
  // The loop ends because clocks change at most a few times within one night.
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

/** Finds the first instant after `before` whose UTC offset differs from `offset`, given that the offset differs at `after`. */
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
