import type { DateTrigger } from "../resources/automation.js";
import type { BehaviorTest } from "../storage/behavior.js";
import { dayIn, timeOnDay } from "../values/calendar-days.js";
import { DAY_MS, dateOf } from "../values/clock.js";
import { daysOfYearOn } from "../values/metadata-value.js";

const MINUTE_MS = 60_000;

/** The place behind every customer: a day with it is done. */
export const DAY_DONE = 2 ** 32;

/** The most missed days that are made up for; earlier ones are skipped. */
const MOST_MISSED = 31;

/** The time of a trigger on a day of the calendar, which is counted since the Unix epoch. */
export function triggerTimeOn({ at }: Pick<DateTrigger, "at">, timeZone: string, day: number): number {
  const [hours = "", minutes = ""] = at.split(":");
  return timeOnDay(timeZone, day, (Number(hours) * 60 + Number(minutes)) * MINUTE_MS);
}

/** The newest day on which the time of a trigger has come. */
export function newestDay(trigger: Pick<DateTrigger, "at">, timeZone: string, now: number): number {
  const today = dayIn(timeZone, now);
  return triggerTimeOn(trigger, timeZone, today) <= now ? today : today - 1;
}

/** How often the day is checked anyway, because the organization's time zone may have changed. */
const LOOK_MS = 3_600_000;

/** Returns when it is to be looked at whether the day after another one has come. */
export function nextCheckAt(
  trigger: Pick<DateTrigger, "at">,
  timeZone: string,
  day: number,
  now: number,
): number {
  return Math.min(triggerTimeOn(trigger, timeZone, day + 1), now + LOOK_MS);
}

/** The day that is looked at after another one, once its time has come. */
export function dayAfter(day: number, newest: number): number {
  return Math.max(day + 1, newest - MOST_MISSED);
}

/** The test that is true of the customers whom a day is for. */
export function createDateTest({ metadata, daysBefore }: DateTrigger, day: number): BehaviorTest {
  const days = daysOfYearOn(day + daysBefore);
  return { of: "metadata", path: metadata, value: { is: "dayOfYear", days } };
}

/** The occasion of a day: the date of the anniversary. */
export function occasionOn({ daysBefore }: Pick<DateTrigger, "daysBefore">, day: number): string {
  return dateOf(day + daysBefore);
}

/** A day from how it is stored. */
export function parseDay(date: string): number {
  return Date.parse(date) / DAY_MS;
}
