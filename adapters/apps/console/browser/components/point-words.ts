import type { PointEntry } from "../../../../../src/points/schema.js";
import { pointHistory as words } from "../words/en/points.js";
import { formatChange, formatUnits, type UnitKind } from "./unit-text.js";

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
