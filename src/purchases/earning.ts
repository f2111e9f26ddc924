import { dateOf, timestamp } from "../base/values/clock.js";
import { MAX_STAMPS_PER_PURCHASE, MAX_UNITS } from "../base/values/program-limits.js";
import type { Bonus, Earning, EarningRule, LineFilter, LineKind } from "../cards/program-schema.js";
import type { LocalTime } from "./local-time.js";

/*
 * Earning rules count exactly. A line's counted amount may be a fraction of a minor unit, so amounts of a purchase are integers
 * over one common denominator. Each rule rounds once, down.
 */

/** A line as bought, and how much of it came back. */
export interface CountedLine {
  readonly sku: string | null;
  readonly category: string | null;
  readonly kind: LineKind;
  readonly quantity: number;
  /** The price of the whole line, in minor units. */
  readonly amount: number;
  /** The part of the amount that is tax. */
  readonly tax: number;
  readonly returned: { readonly quantity: number; readonly amount: number };
}

export interface CountedPurchase {
  readonly currency: string;
  readonly lines: readonly CountedLine[];
  /** The part of the total that was paid with points, in minor units. */
  readonly paidWithPoints: number;
}

/** The lines that count and still have a quantity or amount left. */
interface RemainingPurchase {
  readonly lines: readonly RemainingLine[];
  /** The divisor of the lines' amounts. */
  readonly denominator: bigint;
}

interface RemainingLine {
  readonly line: CountedLine;
  readonly quantity: bigint;
  /** The counted amount before the bonus, times the denominator. */
  readonly amount: bigint;
  /** The largest bonus of the line, or 100 without a bonus. */
  readonly percent: bigint;
}

type LineTest = (line: CountedLine) => boolean;

/**
 * Splits what a purchase gives by the rules into the units within the limits, and the units that the limits cut off.
 * @param dailyAllowance what the day's limit still allows, or `null` without such a limit.
 */
export function limitUnits(
  count: bigint,
  unit: "points" | "stamps",
  { perPurchase }: Earning["limits"],
  dailyAllowance: number | null,
): { readonly units: number; readonly cut: number } {
  const maxUnits = unit === "stamps" ? MAX_STAMPS_PER_PURCHASE : MAX_UNITS;
  const limit = Math.min(perPurchase ?? maxUnits, dailyAllowance ?? maxUnits, maxUnits);
  const units = count < limit ? Number(count) : limit;
  return { units, cut: toSafeNumber(count - BigInt(units)) };
}

/** Returns a count as a number. Counts beyond the largest safe integer are shown as that integer. */
function toSafeNumber(count: bigint): number {
  return count > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(count);
}

/** Returns the units that what remains of a purchase gives, before any limit. */
export function countUnits(earning: Earning, purchase: CountedPurchase, at: LocalTime): bigint {
  if (purchase.currency !== earning.currency) return 0n;
  const remaining = countRemaining(earning, purchase, at);
  const units = earning.rules.map((rule) => applyRule(rule, remaining));
  return earning.combine === "best" ? findLargest(units) : addUp(units);
}

function applyRule(
  { give, per, only, minAmount, inSteps }: EarningRule,
  remaining: RemainingPurchase,
): bigint {
  const matchesRule = createLineTest(only);
  const lines = remaining.lines.filter(({ line }) => matchesRule(line));
  const amounts = sumByPercent(lines);
  if (addUp([...amounts.values()]) < BigInt(minAmount) * remaining.denominator) return 0n;
  const units = BigInt(give);
  if (per === "purchase") return (units * findLargest(lines.map(({ percent }) => percent))) / 100n;
  if (per === "item") {
    return (units * addUp(lines.map(({ quantity, percent }) => quantity * percent))) / 100n;
  }
  const amountWithBonus = addUp([...amounts].map(([percent, amount]) => amount * percent));
  const step = BigInt(per.amount) * remaining.denominator * 100n;
  return inSteps ? units * (amountWithBonus / step) : (units * amountWithBonus) / step;
}

/** Adds up the amounts of lines by their bonus. Multiplying each of these long numbers by its bonus would take most of the time. */
function sumByPercent(lines: readonly RemainingLine[]): ReadonlyMap<bigint, bigint> {
  const sums = new Map<bigint, bigint>();
  for (const { percent, amount } of lines) sums.set(percent, (sums.get(percent) ?? 0n) + amount);
  return sums;
}

function countRemaining(
  { bonuses, counts }: Earning,
  purchase: CountedPurchase,
  at: LocalTime,
): RemainingPurchase {
  const lines = purchase.lines.filter((line) => counts.kinds.includes(line.kind) && hasRemaining(line));
  const findPercent = createPercentFinder(bonuses, at);
  const total = addUp(purchase.lines.map(({ amount }) => BigInt(amount)));
  const isReduced = !counts.paidWithPoints && purchase.paidWithPoints > 0;
  const [shareNumerator, shareDenominator] = isReduced
    ? [total - BigInt(purchase.paidWithPoints), total]
    : [1n, 1n];
  const taxDenominator = counts.tax ? 1n : findTaxDenominator(lines);
  return {
    lines: lines.map((line) => ({
      line,
      quantity: BigInt(line.quantity - line.returned.quantity),
      amount: countAmount(line, counts.tax, taxDenominator) * shareNumerator,
      percent: BigInt(findPercent(line)),
    })),
    denominator: taxDenominator * shareDenominator,
  };
}

function hasRemaining({ quantity, amount, returned }: CountedLine): boolean {
  return quantity > returned.quantity || amount > returned.amount;
}

/** Returns a common multiple of the amounts of partly returned lines with tax, by which their remaining tax is an integer. */
function findTaxDenominator(lines: readonly CountedLine[]): bigint {
  const partlyReturnedLines = lines.filter(
    ({ amount, tax, returned }) => tax > 0 && returned.amount > 0 && returned.amount < amount,
  );
  const amounts = new Set(partlyReturnedLines.map(({ amount }) => amount));
  return [...amounts].reduce((product, amount) => product * BigInt(amount), 1n);
}

/** Returns what counts of a line's remaining amount, times the denominator. A return reduces the tax by its share. */
function countAmount(
  { amount, tax, returned }: CountedLine,
  includesTax: boolean,
  denominator: bigint,
): bigint {
  const remaining = BigInt(amount - returned.amount) * denominator;
  // This division is exact, because the denominator is a multiple of the amount, or the line is whole.
  return includesTax || remaining === 0n ? remaining : (remaining * BigInt(amount - tax)) / BigInt(amount);
}

/** Returns a function that finds the largest bonus of a line at a time, in percent. */
function createPercentFinder(bonuses: readonly Bonus[], at: LocalTime) {
  const sortedBonuses = bonuses
    .filter((bonus) => isActive(bonus, at))
    .sort((one, other) => other.percent - one.percent)
    .map(({ percent, only }) => ({ percent, matchesBonus: createLineTest(only) }));
  return (line: CountedLine) => sortedBonuses.find(({ matchesBonus }) => matchesBonus(line))?.percent ?? 100;
}

function isActive({ from, to, weekdays, between }: Bonus, { day, time }: LocalTime): boolean {
  const date = dateOf(day);
  return (
    (from === undefined || from <= date) &&
    (to === undefined || date <= to) &&
    (weekdays === undefined || weekdays.includes(weekdayOf(day))) &&
    (between === undefined || isBetween(timestamp(time).slice(11, 16), between.from, between.to))
  );
}

/** Compares times of day such as `14:00`. A period that ends earlier than it begins goes on after midnight. */
function isBetween(time: string, from: string, to: string): boolean {
  return from <= to ? from <= time && time < to : from <= time || time < to;
}

/** Returns the weekday, with Monday as 1. The Unix epoch began on a Thursday. */
function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

/** Returns a function that tests lines. It looks texts up in sets, because large baskets meet lists of a hundred texts. */
function createLineTest(filter: LineFilter | undefined): LineTest {
  if (filter === undefined) return () => true;
  const hasSku = createTextTest(filter.skus, true);
  const hasCategory = createTextTest(filter.categories, true);
  const hasExcludedSku = createTextTest(filter.notSkus, false);
  const hasExcludedCategory = createTextTest(filter.notCategories, false);
  return ({ sku, category }) =>
    hasSku(sku) && hasCategory(category) && !hasExcludedSku(sku) && !hasExcludedCategory(category);
}

/**
 * Returns a function that tests whether a list has a text.
 * @param resultWithoutList the result for every text if there is no list.
 */
function createTextTest(list: readonly string[] | undefined, resultWithoutList: boolean) {
  const texts = list && new Set(list);
  return (text: string | null) =>
    texts === undefined ? resultWithoutList : text !== null && texts.has(text);
}

function addUp(numbers: readonly bigint[]): bigint {
  return numbers.reduce((sum, number) => sum + number, 0n);
}

function findLargest(numbers: readonly bigint[]): bigint {
  return numbers.reduce((largest, number) => (number > largest ? number : largest), 0n);
}
