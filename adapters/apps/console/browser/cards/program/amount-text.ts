import { locale } from "../../words/en/forms.js";

const decimalSeparator =
  new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === "decimal")?.value ?? ".";

/** Returns how many decimals a currency's amounts have, such as 2 for EUR. */
export function findDecimals(currency: string): number {
  const format = new Intl.NumberFormat(locale, { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** Formats minor units without their currency, such as "12.50" for 1250. The separator is the one of the user's locale. */
export function formatAmount(minorUnits: number, decimals: number): string {
  const digits = String(minorUnits).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  return decimals === 0 ? whole : `${whole}${decimalSeparator}${digits.slice(-decimals)}`;
}

/**
 * Parses an amount to minor units, such as 1250 for "12.50" or "12,5". Returns `NaN` for other text, and for more decimals than the
 * currency has: "1,000" may mean one euro or a thousand.
 */
export function parseAmount(text: string, decimals: number): number {
  const [amount, whole = "", fraction = ""] = /^(\d{1,16})(?:[.,](\d*))?$/.exec(text.trim()) ?? [];
  if (amount === undefined || fraction.length > decimals) return Number.NaN;
  const minorUnits = Number(whole + fraction.padEnd(decimals, "0"));
  return Number.isSafeInteger(minorUnits) ? minorUnits : Number.NaN;
}

/** Rewrites an amount for a currency with another number of decimals. Returns text that can't be rewritten unchanged. */
export function convertAmount(text: string, decimals: number, newDecimals: number): string {
  const minorUnits = parseAmount(text, decimals);
  const power = 10 ** Math.abs(newDecimals - decimals);
  const converted = newDecimals < decimals ? minorUnits / power : minorUnits * power;
  return Number.isSafeInteger(converted) ? formatAmount(converted, newDecimals) : text;
}
