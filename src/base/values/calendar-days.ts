import { putAndEvict } from "../bounded-map.js";
import { DAY_MS, dayOf, HOUR_MS } from "./clock.js";

/*
 * Calendar days in a time zone, counted in days since the Unix epoch. A day begins at the first instant whose local date is that
 * day or later, and lasts until the next day begins. So if clocks skip midnight, the day begins when they jump forward. If midnight
 * occurs twice, the day begins at its first occurrence. A date that the zone skipped is a day of zero length.
 */

/** The time zone for organizations that haven't set one. */
export const UTC = "UTC";

/** Upper bound for open-ended day ranges, later than every real day. */
export const LAST_DAY = Number.MAX_SAFE_INTEGER;

/** Larger than any UTC offset ever used, in milliseconds. */
const MAX_OFFSET_MS = 16 * 3_600_000;

/** Maximum number of time zones whose latest day and hour are cached. There are fewer zones than this. */
const MAX_CACHED_DAYS = 1_000;

/** Maximum number of cached formatters, one per time zone. Each takes about 10 kB. */
const MAX_CACHED_CLOCKS = 32;

/** Maximum number of cached day starts. Filters read the same days of a zone over and over. */
const MAX_CACHED_STARTS = 4_000;

type Clocks = Intl.DateTimeFormat;

interface CalendarDay {
  readonly day: number;
  /** The first instant of the day. */
  readonly from: number;
  /** The first instant of the next day. */
  readonly until: number;
}

/** UTC offsets are multiples of 15 minutes. */
const QUARTER_MS = 15 * 60_000;

const newestHours = new Map<string, { readonly quarter: number; readonly hour: number }>();
const newestDays = new Map<string, CalendarDay>();
const newestStarts = new Map<string, number>();
const newestClocks = new Map<string, Clocks>();

/** Returns the name that `Intl` uses for an IANA time zone, or `null` if the name is a UTC offset or is unknown. */
export function canonicalTimeZone(name: string): string | null {
  // Some Node versions accept offsets as names.
  if (!/^[a-z]/i.test(name)) return null;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/**
 * Returns the calendar day of an instant in the given time zone, in days since the Unix epoch. A time zone unknown to this runtime
 * is treated as UTC.
 */
export function dayIn(timeZone: string, at: number): number {
  if (timeZone === UTC) return dayOf(at);
  const cached = newestDays.get(timeZone);
  if (cached !== undefined && at >= cached.from && at < cached.until) return cached.day;
  const day = findDayAround(getClocks(timeZone), at);
  putAndEvict(newestDays, timeZone, day, MAX_CACHED_DAYS);
  return day.day;
}

/** Returns the local hour, from 0 to 23, at an instant in the given time zone. */
export function hourIn(timeZone: string, at: number): number {
  const quarter = Math.floor(at / QUARTER_MS);
  if (timeZone === UTC) return hourOf(at);
  const cached = newestHours.get(timeZone);
  if (cached?.quarter === quarter) return cached.hour;
  const hour = hourOf(at + offsetIn(timeZone, at));
  putAndEvict(newestHours, timeZone, { quarter, hour }, MAX_CACHED_DAYS);
  return hour;
}

function hourOf(localTime: number): number {
  return (24 + (Math.floor(localTime / HOUR_MS) % 24)) % 24;
}

/** Returns the first instant of a day in the given time zone, or the start of the next day if the time zone skipped the date. */
export function startOfDay(timeZone: string, day: number): number {
  if (timeZone === UTC) return day * DAY_MS;
  const key = `${timeZone} ${day}`;
  const cached = newestStarts.get(key);
  if (cached !== undefined) return cached;
  const start = findDayStart(getClocks(timeZone), day);
  putAndEvict(newestStarts, key, start, MAX_CACHED_STARTS);
  return start;
}

/**
 * Returns the first instant of a day at which local clocks show the given time. If clocks skip the time, returns the instant at
 * which they jump forward. If the time occurs twice, returns the first occurrence.
 * @param time the local time, in milliseconds since midnight.
 */
export function timeOnDay(timeZone: string, day: number, time: number): number {
  const localTime = day * DAY_MS + time;
  return timeZone === UTC ? localTime : findFirstInstant(getClocks(timeZone), localTime);
}

/**
 * Returns the start of the calendar day that is `days` days before the day of the given instant. If `days` is 0, returns the start
 * of the instant's own day.
 */
export function startOfDayBefore(timeZone: string, at: number, days: number): number {
  return startOfDay(timeZone, dayIn(timeZone, at) - days);
}

/** Returns the first midnight strictly after an instant, in the given time zone, as milliseconds since the Unix epoch. */
export function midnightAfter(timeZone: string, instant: number): number {
  for (let day = dayIn(timeZone, instant) + 1; ; day += 1) {
    const midnight = startOfDay(timeZone, day);
    // A skipped date begins at the same instant as the next date.
    if (midnight > instant) return midnight;
  }
}

/** Returns a time zone's UTC offset at an instant, in milliseconds, or 0 if the time zone is unknown. */
export function offsetIn(timeZone: string, at: number): number {
  return timeZone === UTC ? 0 : computeOffset(getClocks(timeZone), at);
}

function findDayAround(clocks: Clocks, at: number): CalendarDay {
  let day = dayOf(at + computeOffset(clocks, at));
  let from = findDayStart(clocks, day);
  let until = findDayStart(clocks, day + 1);
  // If clocks go back across midnight, they show the previous date again after the next day has begun.
  while (until <= at) {
    day += 1;
    from = until;
    until = findDayStart(clocks, day + 1);
  }
  return { day, from, until };
}

function findDayStart(clocks: Clocks, day: number): number {
  return findFirstInstant(clocks, day * DAY_MS);
}

/** @param localTime the local date and time, written as the instant at which UTC would show them. */
function findFirstInstant(clocks: Clocks, localTime: number): number {
  let before = localTime - MAX_OFFSET_MS;
  let after = localTime + MAX_OFFSET_MS;
  const [earlierOffset, laterOffset] = [computeOffset(clocks, before), computeOffset(clocks, after)];
  if (earlierOffset === laterOffset) return localTime - earlierOffset;
  // The offset changes somewhere in this interval. The search ends with `after` at the change.
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (computeOffset(clocks, middle) === earlierOffset) before = middle;
    else after = middle;
  }
  if (localTime - earlierOffset < after) return localTime - earlierOffset;
  return Math.max(after, localTime - laterOffset);
}

/** Returns the UTC offset at an instant, in milliseconds. */
function computeOffset(clocks: Clocks, at: number): number {
  const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const { type, value } of clocks.formatToParts(at)) {
    if (type in parts) Object.assign(parts, { [type]: Number(value) });
  }
  const { year, month, day, hour, minute, second } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
}

function getClocks(timeZone: string): Clocks {
  const cached = newestClocks.get(timeZone);
  if (cached !== undefined) return cached;
  const clocks = new Intl.DateTimeFormat("en-US", {
    timeZone: canonicalTimeZone(timeZone) ?? UTC,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  putAndEvict(newestClocks, timeZone, clocks, MAX_CACHED_CLOCKS);
  return clocks;
}
