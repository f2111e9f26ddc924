import { putAndEvict } from "../bounded-map.js";
import { DAY_MS, dayOf } from "./clock.js";

/*
 * Calendar days of a time zone, in days since the Unix epoch as its calendar counts them. A day begins at the first instant
 * that has its date or a later one, and lasts until the next day begins. So a day without midnight begins when clocks go on, a
 * midnight that comes twice begins the day once, and a date that never was is a day of no length.
 */

/** The zone of an organization that has set none. */
export const UTC = "UTC";

/** No day comes after it. */
export const LAST_DAY = Number.MAX_SAFE_INTEGER;

/** No place's clocks have ever been further from UTC. */
const FURTHEST_MS = 16 * 3_600_000;

const HOUR_MS = 3_600_000;

/** More zones than there are: each has the day and the hour kept that were looked up last. */
const KEPT_DAYS = 1_000;

/** The most time zones whose clocks are cached; each takes some ten thousand bytes. */
const KEPT_CLOCKS = 32;

/** The most starts of days that are cached, because filters read the same days of a zone again and again. */
const KEPT_STARTS = 4_000;

type Clocks = Intl.DateTimeFormat;

interface CalendarDay {
  readonly day: number;
  /** Its first instant. */
  readonly from: number;
  /** The first instant of the next day. */
  readonly until: number;
}

/** Offsets from UTC are of whole quarters of an hour. */
const QUARTER_MS = 15 * 60_000;

const newestHours = new Map<string, { readonly quarter: number; readonly hour: number }>();
const newestDays = new Map<string, CalendarDay>();
const newestStarts = new Map<string, number>();
const newestClocks = new Map<string, Clocks>();

/** Returns the name that `Intl` has for a zone of the IANA database; `null` for offsets and names that it does not know. */
export function canonicalTimeZone(name: string): string | null {
  // Some releases of Node take offsets for names.
  if (!/^[a-z]/i.test(name)) return null;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** The day of an instant. A zone that this runtime does not know has the days of UTC. */
export function dayIn(timeZone: string, at: number): number {
  if (timeZone === UTC) return dayOf(at);
  const known = newestDays.get(timeZone);
  if (known !== undefined && at >= known.from && at < known.until) return known.day;
  const found = dayAround(getClocks(timeZone), at);
  putAndEvict(newestDays, timeZone, found, KEPT_DAYS);
  return found.day;
}

/** The hour that clocks of a zone show, from 0 to 23. */
export function hourIn(timeZone: string, at: number): number {
  const quarter = Math.floor(at / QUARTER_MS);
  if (timeZone === UTC) return hourOf(at);
  const known = newestHours.get(timeZone);
  if (known?.quarter === quarter) return known.hour;
  const hour = hourOf(at + offsetIn(timeZone, at));
  putAndEvict(newestHours, timeZone, { quarter, hour }, KEPT_DAYS);
  return hour;
}

function hourOf(shown: number): number {
  return (24 + (Math.floor(shown / HOUR_MS) % 24)) % 24;
}

/** The first instant of a day. If a time zone skipped the date, the start of the next day. */
export function startOfDay(timeZone: string, day: number): number {
  if (timeZone === UTC) return day * DAY_MS;
  const key = `${timeZone} ${day}`;
  const known = newestStarts.get(key);
  if (known !== undefined) return known;
  const start = startIn(getClocks(timeZone), day);
  putAndEvict(newestStarts, key, start, KEPT_STARTS);
  return start;
}

/**
 * The first instant at which clocks of a zone show a time of a day, in milliseconds since its midnight. One that clocks skip is when
 * they have skipped it; of one that comes twice it is the first.
 */
export function timeOnDay(timeZone: string, day: number, time: number): number {
  const shown = day * DAY_MS + time;
  return timeZone === UTC ? shown : firstShowing(getClocks(timeZone), shown);
}

/** The first instant of the day that lies this many calendar days before an instant; 0 is the same day. */
export function startOfDayBefore(timeZone: string, at: number, days: number): number {
  return startOfDay(timeZone, dayIn(timeZone, at) - days);
}

/** The first midnight after an instant. */
export function midnightAfter(timeZone: string, instant: number): number {
  for (let day = dayIn(timeZone, instant) + 1; ; day += 1) {
    const midnight = startOfDay(timeZone, day);
    // A date that never was begins with the next one.
    if (midnight > instant) return midnight;
  }
}

/** Returns the UTC offset of a zone at a time, in milliseconds; 0 for an unknown zone. */
export function offsetIn(timeZone: string, at: number): number {
  return timeZone === UTC ? 0 : offsetAt(getClocks(timeZone), at);
}

function dayAround(clocks: Clocks, at: number): CalendarDay {
  let day = dayOf(at + offsetAt(clocks, at));
  let from = startIn(clocks, day);
  let until = startIn(clocks, day + 1);
  // Clocks that go back over midnight show the date before once more, when the next day has begun.
  while (until <= at) {
    day += 1;
    from = until;
    until = startIn(clocks, day + 1);
  }
  return { day, from, until };
}

function startIn(clocks: Clocks, day: number): number {
  return firstShowing(clocks, day * DAY_MS);
}

/** @param shown the local date and time, as an instant at which UTC shows it. */
function firstShowing(clocks: Clocks, shown: number): number {
  let before = shown - FURTHEST_MS;
  let after = shown + FURTHEST_MS;
  const [old, late] = [offsetAt(clocks, before), offsetAt(clocks, after)];
  if (old === late) return shown - old;
  // Clocks change near this time: at `after`, once the search has ended.
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(clocks, middle) === old) before = middle;
    else after = middle;
  }
  if (shown - old < after) return shown - old;
  return Math.max(after, shown - late);
}

/** Returns the offset of clocks from UTC at a time, in milliseconds. */
function offsetAt(clocks: Clocks, at: number): number {
  const shown = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const { type, value } of clocks.formatToParts(at)) {
    if (type in shown) Object.assign(shown, { [type]: Number(value) });
  }
  const { year, month, day, hour, minute, second } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
}

function getClocks(timeZone: string): Clocks {
  const known = newestClocks.get(timeZone);
  if (known !== undefined) return known;
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
  putAndEvict(newestClocks, timeZone, clocks, KEPT_CLOCKS);
  return clocks;
}
