import { dayIn, offsetIn, timeOnDay } from "../../../src/base/values/calendar-days.js";
import { DAY_MS, dayOf, dayOfDate, HOUR_MS } from "../../../src/base/values/clock.js";

/**
 * A duration in seconds, minutes, hours, days, or weeks, such as `90m` or `30d`. A day is a calendar day, which can be longer or
 * shorter than 24 hours.
 */
export type Duration = `${number}${"s" | "m" | "h" | "d" | "w"}`;

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: HOUR_MS };
const UNIT_DAYS: Readonly<Record<string, number>> = { d: 1, w: 7 };

/** Maximum length of one clock step, in days. */
const MAX_DAYS = 3_660;

/**
 * Adds a duration to an instant. Adding days or weeks keeps the local time of day, even if the UTC offset changes.
 * @throws {TypeError} if the duration is malformed.
 * @throws {RangeError} if the duration is longer than ten years.
 */
export function addDuration(from: number, duration: string, timeZone: string): number {
  const [, count = "", unit = ""] = /^([0-9]{1,9})([smhdw])$/.exec(duration) ?? [];
  const days = UNIT_DAYS[unit];
  const ms = UNIT_MS[unit];
  if (days !== undefined)
    return assertWithinBound(from, addDays(from, Number(count) * days, timeZone), duration);
  if (ms !== undefined) return assertWithinBound(from, from + Number(count) * ms, duration);
  throw new TypeError(
    `"${duration}" is not a duration: use a whole number and a unit, such as 45s, 90m, 12h, 30d or 2w; for dates, use advanceTo`,
  );
}

function assertWithinBound(from: number, to: number, text: string): number {
  if (to - from <= MAX_DAYS * DAY_MS) return to;
  throw new RangeError(`${text} is too long: a test clock moves at most ten years (3660d) at a time`);
}

function addDays(from: number, days: number, timeZone: string): number {
  const localTime = from + offsetIn(timeZone, from);
  const day = dayOf(localTime);
  return days === 0 ? from : timeOnDay(timeZone, day + days, localTime - day * DAY_MS);
}

/** Matches a date, optionally with a time, which may have a time zone. */
const instantPattern = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Parses an instant given as a `Date` or an ISO 8601 string. A string without a time zone is interpreted in `timeZone`. A date
 * without a time means the start of that day.
 * @throws {TypeError} if the input is anything else.
 */
export function parseInstant(value: string | Date, timeZone: string): number {
  const [, date = "", time = "00:00", zone] = instantPattern.exec(String(value)) ?? [];
  const asUtc = typeof value === "string" ? Date.parse(`${date}T${time}${zone ?? "Z"}`) : value.getTime();
  const isValidDate = typeof value !== "string" || isDate(date);
  if (Number.isNaN(asUtc) || !isValidDate) {
    throw new TypeError(
      `"${String(value)}" is not an instant: use a Date or a string such as 2026-03-01T09:00:00Z, 2026-03-01T09:00 or 2026-03-01`,
    );
  }
  if (typeof value !== "string" || zone !== undefined) return asUtc;
  const day = dayOf(asUtc);
  return timeOnDay(timeZone, day, asUtc - day * DAY_MS);
}

/** Returns whether a date exists, because `Date.parse` reads 30 February as 2 March. */
function isDate(date: string): boolean {
  const parsed = Date.parse(date);
  return (
    !Number.isNaN(parsed) &&
    dayIn("UTC", parsed) === dayOfDate(date) &&
    new Date(parsed).toISOString().startsWith(date)
  );
}
