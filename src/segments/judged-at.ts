import type { StoredSegmentMark } from "../storage/saved-segments.js";
import { dayIn, startOfDay, startOfDayBefore } from "../values/calendar-days.js";

/** The midnight at which members are judged now: that of the clock, but none before one that somebody has seen already. */
export function judgedAt(
  { settledThrough, lookedAt }: StoredSegmentMark,
  timeZone: string,
  now: number,
): number {
  return Math.max(settledThrough, startOfDayBefore(timeZone, Math.max(now, lookedAt), 0));
}

/** The first midnight after an instant. */
export function midnightAfter(timeZone: string, instant: number): number {
  for (let day = dayIn(timeZone, instant) + 1; ; day += 1) {
    const midnight = startOfDay(timeZone, day);
    // A date that never was begins with the next one.
    if (midnight > instant) return midnight;
  }
}

/** The midnights after one, up to another with it, one after the other. */
export function* midnightsBetween(timeZone: string, after: number, to: number): Generator<number, void> {
  for (let at = midnightAfter(timeZone, after); at <= to; at = midnightAfter(timeZone, at)) yield at;
}
