/** After this many key lookups in a text it is parsed, so that any number of paths takes no longer than the text is long. */
const MOST_LOOKS = 8;

/** The text that was looked at last, for one path after the other. */
let newest = "";
let looks = 0;
let read: { readonly object: unknown } | null = null;

/** Returns what reads the value at a path of users' metadata, each the JSON text of an object: own keys of objects alone. */
export function metadataReader(path: readonly string[]): (metadata: string) => unknown {
  const [first = ""] = path;
  const key = JSON.stringify(first);
  return (metadata) => {
    if (metadata !== newest) [newest, looks, read] = [metadata, 0, null];
    if (read === null) {
      looks += 1;
      // Most users have none of a rare key, and need not be read. A key may be written with escapes.
      if (looks <= MOST_LOOKS && !metadata.includes(key) && !metadata.includes("\\")) return undefined;
      read = { object: JSON.parse(metadata) };
    }
    return valueAt(read.object, path);
  };
}

/** The value at a path of own keys of objects alone. */
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

/** The date at the beginning of a text, as a number such as 20240531; `null` if it is not a calendar date. */
export function dateIn(value: unknown): number | null {
  if (typeof value !== "string") return null;
  const [, year = "", month = "", day = ""] = DATE.exec(value) ?? [];
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (year === "" || m < 1 || m > 12 || d < 1 || d > countDays(y, m)) return null;
  return (y * 100 + m) * 100 + d;
}

/** Returns whether a year has a 29 February. */
export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function countDays(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** The day of a date such as 20240531, counted since the Unix epoch. */
export function dayOfNumericDate(date: number): number {
  const first = new Date(0).setUTCFullYear(
    Math.floor(date / 10_000),
    (Math.floor(date / 100) % 100) - 1,
    date % 100,
  );
  return first / 86_400_000;
}

/** The date of a day, which is counted since the Unix epoch, as a number such as 20240531. */
export function numericDateOf(day: number): number {
  const date = new Date(day * 86_400_000);
  return (date.getUTCFullYear() * 100 + date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}

/** The days of the year that a day is, each a number such as 301: 1 March is 29 February too in a year that has none. */
export function daysOfYearOn(day: number): readonly number[] {
  const date = numericDateOf(day);
  const dayOfYear = date % 10_000;
  return dayOfYear === 301 && !isLeapYear(Math.floor(date / 10_000)) ? [229, 301] : [dayOfYear];
}
