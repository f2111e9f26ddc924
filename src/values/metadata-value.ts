/**
 * Maximum number of key lookups by string search. After that the text is parsed, so that any number of paths takes time linear in
 * its length.
 */
const MOST_LOOKS = 8;

/** The most recently read text, because several paths are usually read from the same text. */
let newest = "";
let looks = 0;
let read: { readonly object: unknown } | null = null;

/**
 * Returns a function that reads the value at a path in a user's metadata, which is the JSON text of an object. It follows only own
 * keys of objects.
 */
export function metadataReader(path: readonly string[]): (metadata: string) => unknown {
  const [first = ""] = path;
  const key = JSON.stringify(first);
  return (metadata) => {
    if (metadata !== newest) [newest, looks, read] = [metadata, 0, null];
    if (read === null) {
      looks += 1;
      // Most users don't have a rare key, so their metadata needn't be parsed. A key may contain escapes.
      if (looks <= MOST_LOOKS && !metadata.includes(key) && !metadata.includes("\\")) return undefined;
      read = { object: JSON.parse(metadata) };
    }
    return valueAt(read.object, path);
  };
}

/** Returns the value at a path, following only own keys of objects. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const key of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    if (!Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:$|[T ])/;

/** Returns the date at the beginning of a string as a number such as 20240531; `null` if it isn't a calendar date. */
export function dateIn(value: unknown): number | null {
  if (typeof value !== "string") return null;
  const [, year = "", month = "", day = ""] = DATE.exec(value) ?? [];
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (year === "" || m < 1 || m > 12 || d < 1 || d > countDays(y, m)) return null;
  return (y * 100 + m) * 100 + d;
}

/** Returns whether a year has a February 29. */
export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function countDays(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Returns the day of a date such as 20240531, in days since the Unix epoch. */
export function dayOfNumericDate(date: number): number {
  const first = new Date(0).setUTCFullYear(
    Math.floor(date / 10_000),
    (Math.floor(date / 100) % 100) - 1,
    date % 100,
  );
  return first / 86_400_000;
}

/** Returns the date of a day since the Unix epoch, as a number such as 20240531. */
export function numericDateOf(day: number): number {
  const date = new Date(day * 86_400_000);
  return (date.getUTCFullYear() * 100 + date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}

/**
 * Returns the days of the year that fall on a day, as numbers such as 301. In a year without a February 29, March 1 counts as both.
 */
export function daysOfYearOn(day: number): readonly number[] {
  const date = numericDateOf(day);
  const dayOfYear = date % 10_000;
  return dayOfYear === 301 && !isLeapYear(Math.floor(date / 10_000)) ? [229, 301] : [dayOfYear];
}
