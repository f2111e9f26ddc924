import { dayIn, startOfDay, timeOnDay } from "../base/values/calendar-days.js";
import { DAY_MS, dateOf, MINUTE_MS } from "../base/values/clock.js";
import { daysOfYearOn } from "../base/values/metadata-value.js";
import type { BehaviorTest } from "../storage/behavior.js";
import type { ExpiringPoints } from "../storage/points.js";
import type { AnniversaryTrigger, DateTrigger, PointExpiryTrigger } from "./schema.js";

/** A cursor position past the last customer, which marks a day as done. */
export const DAY_DONE = 2 ** 32;

/** Maximum number of missed days to catch up on; earlier ones are skipped. */
const MAX_MISSED_DAYS = 31;

/**
 * Returns the instant at which a trigger fires on a given day.
 * @param day days since the Unix epoch.
 */
export function getTriggerTime({ at }: Pick<DateTrigger, "at">, timeZone: string, day: number): number {
  const [hours = "", minutes = ""] = at.split(":");
  return timeOnDay(timeZone, day, (Number(hours) * 60 + Number(minutes)) * MINUTE_MS);
}

/** Returns the latest day whose trigger time has passed, in days since the Unix epoch. */
export function getLatestDueDay(trigger: Pick<DateTrigger, "at">, timeZone: string, now: number): number {
  const today = dayIn(timeZone, now);
  return getTriggerTime(trigger, timeZone, today) <= now ? today : today - 1;
}

/** Maximum time between checks of the day, in milliseconds, because the organization's time zone may have changed. */
const MAX_CHECK_INTERVAL_MS = 3_600_000;

/**
 * Returns the time of the next check for the day after `day`. This is the time at which the trigger fires on that day, or one hour
 * from now if that is earlier, because the organization's time zone can change.
 */
export function getNextCheckTime(
  trigger: Pick<DateTrigger, "at">,
  timeZone: string,
  day: number,
  now: number,
): number {
  return Math.min(getTriggerTime(trigger, timeZone, day + 1), now + MAX_CHECK_INTERVAL_MS);
}

/** Returns the day to process after `day`. Days that were missed too long ago to catch up on are skipped. */
export function getNextDay(day: number, latestDueDay: number): number {
  return Math.max(day + 1, latestDueDay - MAX_MISSED_DAYS);
}

/** Builds the test that matches the customers for whom an anniversary's trigger fires on a given day. */
export function createDateTest({ metadata, daysBefore }: AnniversaryTrigger, day: number): BehaviorTest {
  const days = daysOfYearOn(day + daysBefore);
  return { of: "metadata", path: metadata, value: { is: "dayOfYear", days } };
}

/**
 * Returns the points for whose expiry a trigger fires on a given day: they can be used now, and for the last time on the local day
 * that is `daysBefore` days later.
 */
export function buildExpiringPoints(
  { pointsExpiry, daysBefore }: PointExpiryTrigger,
  timeZone: string,
  day: number,
  now: number,
): ExpiringPoints {
  const lastDay = day + daysBefore;
  return {
    templateId: pointsExpiry,
    usableAt: now,
    after: startOfDay(timeZone, lastDay),
    until: startOfDay(timeZone, lastDay + 1),
  };
}

/**
 * Returns the date for which a trigger fires on the given day, as `YYYY-MM-DD`: the anniversary, or the last day of the points. The
 * run stores this date as its `occasion`, so that the same date doesn't start a second run.
 */
export function formatOccasion({ daysBefore }: Pick<DateTrigger, "daysBefore">, day: number): string {
  return dateOf(day + daysBefore);
}

/** Converts a stored date in the form `YYYY-MM-DD` to days since the Unix epoch. */
export function parseDay(date: string): number {
  return Date.parse(date) / DAY_MS;
}
