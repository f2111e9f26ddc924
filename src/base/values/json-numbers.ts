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
