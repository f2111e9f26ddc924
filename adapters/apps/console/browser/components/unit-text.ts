import type { PointEntry } from "../../../../../src/points/schema.js";
import type { PurchaseEffect } from "../../../../../src/purchases/schema.js";
import { pointHistory as words } from "../words/en/points.js";
import { units } from "../words/en/units.js";
import type { Translated } from "../words/translated.js";

export type UnitWords = Translated<typeof units>;

/** What a number counts: stamps, or points with the shop's own word for them. */
export interface UnitKind {
  readonly unit: PurchaseEffect["unit"];
  /** The shop's word for points, or `null` for the language's word. */
  readonly word: string | null;
}

/** Formats a number of stamps or points, such as "12 points". */
export function formatUnits(count: number, { unit, word }: UnitKind, words: UnitWords = units): string {
  return unit === "points" && word !== null ? words.named(count, word) : words[unit](count);
}

/** Formats a change of stamps or points, such as "+12 points" or "−1 stamp". */
export function formatChange(change: number, kind: UnitKind, words: UnitWords = units): string {
  const amount = formatUnits(Math.abs(change), kind, words);
  return change < 0 ? words.lost(amount) : words.gained(amount);
}

/** Describes an entry of a point ledger, such as "+12 points for a purchase" or "10 points expired". */
export function describePointEntry({ type, points }: PointEntry, kind: UnitKind): string {
  const change = formatChange(points, kind);
  const amount = formatUnits(Math.abs(points), kind);
  switch (type) {
    case "earned":
      return words.earned(change);
    case "returned":
      return words.returned(change);
    case "added":
      return words.added(amount);
    case "removed":
      return words.removed(amount);
    case "spent":
      return words.spent(amount);
    case "expired":
      return words.expired(amount);
    case "reversed":
      return words.reversed(change);
  }
}
