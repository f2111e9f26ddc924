import { DAY_MS } from "../../src/base/values/clock.js";
import { addUp, createFraction, type Fraction, isLess, multiply, roundDown } from "./exact-fraction.js";

/** The earning rules of a template, as one version of its program, with the field names of the API. */
export interface Earning {
  readonly currency: string;
  readonly rules: readonly Rule[];
  readonly combine?: "sum" | "best";
  readonly bonuses?: readonly Bonus[];
  readonly counts?: Partial<Counts>;
  readonly limits?: { readonly perPurchase?: number; readonly perDay?: number };
  readonly onReturn?: "debt" | "forgive";
}

export interface Rule {
  readonly give: number;
  readonly per: "purchase" | "item" | { readonly amount: number };
  readonly only?: LineFilter;
  readonly minAmount?: number;
  readonly inSteps?: boolean;
}

export interface Bonus {
  readonly percent: number;
  readonly only?: LineFilter;
  /** Local dates such as `2026-07-31`, both inclusive. */
  readonly from?: string;
  readonly to?: string;
  /** 1 is Monday, 7 is Sunday. */
  readonly weekdays?: readonly number[];
  /** Local times such as `14:00`. `to` is exclusive, and is on the next day if it's earlier than `from`. */
  readonly between?: { readonly from: string; readonly to: string };
}

export interface LineFilter {
  readonly skus?: readonly string[];
  readonly categories?: readonly string[];
  readonly notSkus?: readonly string[];
  readonly notCategories?: readonly string[];
}

export type LineKind = "goods" | "shipping" | "tip" | "fee" | "gift_card";

interface Counts {
  readonly kinds: readonly LineKind[];
  readonly tax: boolean;
  readonly paidWithPoints: boolean;
}

/** A line as bought, and how much of it was returned. */
export interface Line {
  readonly id: string;
  readonly sku: string | null;
  readonly category: string | null;
  readonly kind: LineKind;
  readonly quantity: number;
  readonly amount: number;
  readonly tax: number;
  readonly returned: { readonly quantity: number; readonly amount: number };
}

export interface Basket {
  readonly currency: string;
  readonly lines: readonly Line[];
  readonly paidWithPoints: number;
}

/** A local day, counted from 1 January 1970, and the local time on it, in milliseconds. */
export interface LocalTime {
  readonly day: number;
  readonly time: number;
}

/** A line with the values that rules multiply. */
interface CountedLine {
  readonly line: Line;
  readonly amount: Fraction;
  readonly bonus: Fraction;
}

const defaultCounts: Counts = { kinds: ["goods"], tax: true, paidWithPoints: false };

const noBonus = 100;

/** Returns the units that the remaining basket earns, before any limit. */
export function countUnits(earning: Earning, basket: Basket, at: LocalTime): bigint {
  if (earning.currency !== basket.currency) return 0n;
  const lines = countLines(earning, basket, at);
  const units = earning.rules.map((rule) => applyRule(rule, lines));
  return earning.combine === "best"
    ? units.reduce((most, one) => (one > most ? one : most), 0n)
    : units.reduce((sum, one) => sum + one, 0n);
}

/** Returns the units that a rule gives for these lines. This is the only place that rounds, and it rounds once. */
function applyRule(rule: Rule, lines: readonly CountedLine[]): bigint {
  const matching = lines.filter(({ line }) => matchesLine(rule.only, line));
  const minAmount = createFraction(rule.minAmount ?? 0);
  if (isLess(addUp(matching.map(({ amount }) => amount)), minAmount)) return 0n;
  const give = createFraction(rule.give);
  if (rule.per === "purchase") return roundDown(multiply(give, findLargestBonus(matching)));
  if (rule.per === "item") {
    const pieces = matching.map(({ line, bonus }) =>
      multiply(createFraction(remainingOf(line).quantity), bonus),
    );
    return roundDown(multiply(give, addUp(pieces)));
  }
  const amount = addUp(matching.map((line) => multiply(line.amount, line.bonus)));
  const steps = multiply(amount, createFraction(1, rule.per.amount));
  return rule.inSteps ? BigInt(rule.give) * roundDown(steps) : roundDown(multiply(give, steps));
}

/** Returns the largest bonus of the lines that still have something left, and 0 if nothing is left. */
function findLargestBonus(lines: readonly CountedLine[]): Fraction {
  return lines
    .filter(({ line }) => hasRemaining(line))
    .reduce((most, { bonus }) => (isLess(most, bonus) ? bonus : most), createFraction(0));
}

function countLines(earning: Earning, basket: Basket, at: LocalTime): readonly CountedLine[] {
  const counts = { ...defaultCounts, ...earning.counts };
  const paidShare = counts.paidWithPoints ? createFraction(1) : computeShareInMoney(basket);
  return basket.lines
    .filter(({ kind }) => counts.kinds.includes(kind))
    .map((line) => ({
      line,
      amount: multiply(countAmount(line, counts.tax), paidShare),
      bonus: createFraction(findBonus(earning.bonuses ?? [], line, at), 100),
    }));
}

/** Returns the share of the total as bought that wasn't paid with points. A return doesn't change it. */
function computeShareInMoney({ lines, paidWithPoints }: Basket): Fraction {
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  return total === 0 ? createFraction(1) : createFraction(total - paidWithPoints, total);
}

/** Returns the remaining part of a line's amount. Without tax, the same part of the tax is subtracted. */
function countAmount(line: Line, withTax: boolean): Fraction {
  const { amount } = remainingOf(line);
  if (withTax || line.amount === 0) return createFraction(amount);
  return multiply(createFraction(amount), createFraction(line.amount - line.tax, line.amount));
}

function findBonus(bonuses: readonly Bonus[], line: Line, at: LocalTime): number {
  const matching = bonuses.filter((bonus) => matchesLine(bonus.only, line) && matchesTime(bonus, at));
  return Math.max(noBonus, ...matching.map(({ percent }) => percent));
}

function matchesLine(filter: LineFilter | undefined, { sku, category }: Line): boolean {
  const { skus, categories, notSkus, notCategories } = filter ?? {};
  const isIn = (list: readonly string[], text: string | null) => text !== null && list.includes(text);
  return (
    (skus === undefined || isIn(skus, sku)) &&
    (categories === undefined || isIn(categories, category)) &&
    !isIn(notSkus ?? [], sku) &&
    !isIn(notCategories ?? [], category)
  );
}

function matchesTime({ from, to, weekdays, between }: Bonus, { day, time }: LocalTime): boolean {
  const [date = "", clock = ""] = new Date(day * DAY_MS + time).toISOString().split("T");
  return (
    (from === undefined || from <= date) &&
    (to === undefined || date <= to) &&
    (weekdays === undefined || weekdays.includes(weekdayOf(day))) &&
    (between === undefined || isBetween(clock, between.from, between.to))
  );
}

function isBetween(clock: string, from: string, to: string): boolean {
  return to < from ? clock >= from || clock < to : clock >= from && clock < to;
}

/** 1 January 1970 was a Thursday. */
function weekdayOf(day: number): number {
  return ((day + 3) % 7) + 1;
}

/** Returns what was bought minus what was returned. */
export function remainingOf({ quantity, amount, returned }: Line) {
  return { quantity: quantity - returned.quantity, amount: amount - returned.amount };
}

function hasRemaining(line: Line): boolean {
  const { quantity, amount } = remainingOf(line);
  return quantity > 0 || amount > 0;
}
