import type { Template } from "../../../../../src/cards/schema.js";
import type { ChangedPurchase, Purchase, PurchaseEffect } from "../../../../../src/purchases/schema.js";
import { events as words } from "../words/en/events.js";
import { moneyText } from "../words/en/forms.js";
import { formatChange, formatUnits, type UnitKind } from "./unit-text.js";

/** The shop's own words for points, keyed by template ID. Templates that use the language's word are omitted. */
export type PointNames = ReadonlyMap<string, string>;

export function listPointNames(templates: readonly Pick<Template, "id" | "points">[]): PointNames {
  return new Map(
    templates.flatMap(({ id, points }) =>
      points === null || points.unit === null ? [] : [[id, points.unit] as const],
    ),
  );
}

/** Returns what a purchase's units on a card are called. */
export function findUnitKind(
  { unit, templateId }: Pick<PurchaseEffect, "unit" | "templateId">,
  names: PointNames,
): UnitKind {
  return { unit, word: names.get(templateId) ?? null };
}

/** Formats the changes on several cards, such as "+12 points, −1 stamp". Empty if nothing changed. */
export function formatChanges(
  changes: readonly Pick<PurchaseEffect, "unit" | "units" | "templateId">[],
  names: PointNames,
): string {
  return changes
    .filter(({ units }) => units !== 0)
    .map((change) => formatChange(change.units, findUnitKind(change, names)))
    .join(", ");
}

/** Describes a purchase as it is now, such as "Bought for €12.50: +12 points". */
export function describePurchase(purchase: Purchase, names: PointNames): string {
  const { total, returnedTotal, currency, effects } = purchase;
  const amount = moneyText(total, currency);
  if (returnedTotal === 0) return addResult(words.bought(amount), formatChanges(effects, names));
  const remains = effects.map((effect) => formatUnits(effect.units, findUnitKind(effect, names))).join(", ");
  return addResult(words.boughtAndReturned(amount, moneyText(returnedTotal, currency)), remains);
}

/** Describes a new or changed purchase, such as "Returned goods: −3 points". */
export function describePurchaseEvent(
  type: "purchase.recorded" | "purchase.changed",
  { total, returnedTotal, currency, changes }: ChangedPurchase,
  names: PointNames,
): string {
  const isReturn = returnedTotal > 0 && changes.some(({ units }) => units < 0);
  const text =
    type === "purchase.recorded"
      ? words.bought(moneyText(total, currency))
      : isReturn
        ? words.returnedGoods
        : words.purchaseChanged(moneyText(total - returnedTotal, currency));
  return addResult(text, formatChanges(changes, names));
}

function addResult(text: string, result: string): string {
  return result === "" ? text : words.withResult(text, result);
}
