/**
 * Maximum number of key lookups by string search. After that the text is parsed, so that any number of paths takes time linear in
 * its length.
 */
const MAX_LOOKUPS = 8;

/** The most recently read text, because several paths are usually read from the same text. */
let lastText = "";
let lookupCount = 0;
let parsed: { readonly object: unknown } | null = null;

/**
 * Returns a function that takes a user's metadata as JSON text and returns the value at the given path. Only objects' own
 * properties are followed, never prototypes or array elements.
 */
export function metadataReader(path: readonly string[]): (metadata: string) => unknown {
  const [first = ""] = path;
  const key = JSON.stringify(first);
  return (metadata) => {
    if (metadata !== lastText) [lastText, lookupCount, parsed] = [metadata, 0, null];
    if (parsed === null) {
      lookupCount += 1;
      // Most users don't have a rare key, so their metadata needn't be parsed. A key may contain escapes.
      if (lookupCount <= MAX_LOOKUPS && !metadata.includes(key) && !metadata.includes("\\")) return undefined;
      parsed = { object: JSON.parse(metadata) };
    }
    return valueAt(parsed.object, path);
  };
}

/**
 * Returns the value at a path. Only objects' own properties are followed.
 * @returns the value, or `undefined` if there is none.
 */
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

/**
 * Parses the date at the beginning of a string into a number such as 20240531. Returns `null` if the value isn't a string or
 * doesn't begin with a valid calendar date.
 */
export function dateIn(value: unknown): number | null {
  if (typeof value !== "string") return null;
  const [, year = "", month = "", day = ""] = DATE.exec(value) ?? [];
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (year === "" || m < 1 || m > 12 || d < 1 || d > countDays(y, m)) return null;
  return (y * 100 + m) * 100 + d;
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function countDays(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Converts a numeric date such as 20240531 to days since the Unix epoch. */
export function dayOfNumericDate(date: number): number {
  const first = new Date(0).setUTCFullYear(
    Math.floor(date / 10_000),
    (Math.floor(date / 100) % 100) - 1,
    date % 100,
  );
  return first / 86_400_000;
}

/** Converts days since the Unix epoch to a numeric date such as 20240531. */
export function numericDateOf(day: number): number {
  const date = new Date(day * 86_400_000);
  return (date.getUTCFullYear() * 100 + date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}

/**
 * Returns the days of the year whose anniversaries fall on the given day, encoded as `month * 100 + day`, such as 301 for March 1.
 * In non-leap years, March 1 also counts as February 29.
 */
export function daysOfYearOn(day: number): readonly number[] {
  const date = numericDateOf(day);
  const dayOfYear = date % 10_000;
  return dayOfYear === 301 && !isLeapYear(Math.floor(date / 10_000)) ? [229, 301] : [dayOfYear];
}

/** Matches strings and numbers in JSON. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;

const numberForm = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Matches what may be an inexact number. Numbers with fewer than 16 digits and an exponent of at most two digits always survive a
 * round trip.
 */
const hasLongNumber = /[\d.]{16}|\d[eE][+-]?\d{3}/;

const MAX_LENGTH = 100;

/** Maximum number of long numbers that are checked. It is more than fits in metadata; a 1 MB body can hold ten times as many. */
const MAX_VALUES = 20_000;

/** A JSON number that parses to infinity. */
const INFINITE = "1e999";

/** From this value on, JSON writes integers with an exponent. No count in this project reaches it. */
const FIRST_WITH_EXPONENT = 1e21;

/**
 * Returns whether a number stays the same when it is serialized as JSON. Also returns false for an integer that might have been
 * rounded when it was parsed, such as an ID with 16 or more digits.
 */
export function isExactNumber(value: number): boolean {
  if (!Number.isInteger(value)) return Number.isFinite(value);
  if (Object.is(value, -0)) return false;
  return Number.isSafeInteger(value) || Math.abs(value) >= FIRST_WITH_EXPONENT;
}

/** Returns whether all numbers in JSON text stay the same when the text is parsed and serialized again. */
export function hasExactNumbers(json: string): boolean {
  return [...json.matchAll(tokens)].every(
    ([token]) => token.startsWith('"') || (isExact(token) && isExactNumber(Number(token))),
  );
}

/**
 * Replaces each number that `JSON.parse` would round, such as 9007199254740993 or 0.12345678901234567, with a number that parses to
 * infinity. Checks only the first 20,000 numbers that have 16 or more digits, and replaces all later ones without checking.
 */
export function withInexactAsInfinite(json: string): string {
  if (!hasLongNumber.test(json)) return json;
  let visitedValues = 0;
  return json.replace(tokens, (token) => {
    if (token.startsWith('"') || !hasLongNumber.test(token)) return token;
    visitedValues += 1;
    return visitedValues <= MAX_VALUES && isExact(token) ? token : INFINITE;
  });
}

/** Tokens that aren't numbers count as exact: `JSON.parse` handles them. */
function isExact(token: string): boolean {
  if (!numberForm.test(token)) return true;
  return token.length <= MAX_LENGTH && parseDecimal(token) === parseDecimal(String(Number(token)));
}

/** Returns the canonical form of a number, from its first digit to the last nonzero one. */
function parseDecimal(decimal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = numberForm.exec(decimal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
