/** The texts and numbers in JSON. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;

const numberForm = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Numbers of fewer than 16 digits, with an exponent of one or two, never change. */
const hasLongNumber = /[\d.]{16}|\d[eE][+-]?\d{3}/;

const MAX_LENGTH = 100;

/** More such numbers than metadata has room for. A body of a megabyte has ten times as many. */
const MOST_LOOKED_AT = 20_000;

/** A number that is not finite, as JSON can write it. */
const INFINITE = "1e999";

/** From here on JSON writes integers with an exponent; no count or number reaches it. */
const FIRST_WITH_EXPONENT = 1e21;

/**
 * Returns whether a number is written to JSON as it is, and was not rounded when it was read, as an id of 16 digits or more may have
 * been.
 */
export function isExactNumber(value: number): boolean {
  if (!Number.isInteger(value)) return Number.isFinite(value);
  if (Object.is(value, -0)) return false;
  return Number.isSafeInteger(value) || Math.abs(value) >= FIRST_WITH_EXPONENT;
}

/** Returns whether JSON has numbers only that come back as they are written. */
export function hasExactNumbers(json: string): boolean {
  return [...json.matchAll(tokens)].every(
    ([token]) => token.startsWith('"') || (isExact(token) && isExactNumber(Number(token))),
  );
}

/**
 * Returns JSON in which a number is written as an infinite one if `JSON.parse` would change it, such as 9007199254740993 or
 * 0.12345678901234567. The same happens to numbers of 16 or more digits after the first 20,000, which are not examined.
 */
export function withInexactAsInfinite(json: string): string {
  if (!hasLongNumber.test(json)) return json;
  let looked = 0;
  return json.replace(tokens, (token) => {
    if (token.startsWith('"') || !hasLongNumber.test(token)) return token;
    looked += 1;
    return looked <= MOST_LOOKED_AT && isExact(token) ? token : INFINITE;
  });
}

/** Leaves texts that are not numbers to `JSON.parse`. */
function isExact(token: string): boolean {
  if (!numberForm.test(token)) return true;
  return token.length <= MAX_LENGTH && parseDecimal(token) === parseDecimal(String(Number(token)));
}

/** Returns the value of a number in one form, from its first digit to the last that is not 0. */
function parseDecimal(written: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = numberForm.exec(written) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
