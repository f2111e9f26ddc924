/** The largest amount that can be typed, in minor units. */
const MAX_AMOUNT = 999_999_999_999;

/** Returns how many digits of an amount in this currency are minor units, such as 2 for EUR and 0 for JPY. */
export function countMinorDigits(currency: string): number {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/**
 * Returns a typed amount after one more key. Keys that don't change an amount are ignored.
 * @param text the digits typed before, with at most one decimal point.
 * @param key one or more digits, a decimal point or comma, or `Backspace`.
 * @param minorDigits the number of digits of the currency's minor unit.
 */
export function typeAmountKey(text: string, key: string, minorDigits: number): string {
  if (key === "Backspace") return removeLeadingZeros(text.slice(0, -1));
  if (key === "." || key === ",")
    return minorDigits === 0 || text.includes(".") ? text : `${text === "" ? "0" : text}.`;
  if (!/^\d+$/.test(key)) return text;
  const [, fraction] = text.split(".");
  if (fraction !== undefined) return text + key.slice(0, minorDigits - fraction.length);
  const next = removeLeadingZeros(text + key);
  return parseAmount(next, minorDigits) > MAX_AMOUNT ? text : next;
}

/**
 * Converts a typed amount to minor units. Digits without a decimal point are minor units, so 1250 is 12.50 in euros. With a decimal
 * point, the digits before it are whole units.
 * @example
 * parseAmount("1250", 2) === 1_250 && parseAmount("12.5", 2) === 1_250
 */
export function parseAmount(text: string, minorDigits: number): number {
  const [whole = "", fraction] = text.split(".");
  return Number(fraction === undefined ? whole : whole + fraction.padEnd(minorDigits, "0"));
}

function removeLeadingZeros(text: string): string {
  return text.replace(/^0+(?!\.)/, "");
}
