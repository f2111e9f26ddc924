import type { Earning, LineFilter, LineKind } from "../../../../../../src/cards/program-schema.js";
import { countUnits } from "../../../../../../src/purchases/earning.js";
import type { LocalTime } from "../../../../../../src/purchases/local-time.js";
import { lineKinds, example as words } from "../../words/en/card-program.js";

/** Something that the example's customer can buy. */
export interface ExampleLine {
  readonly key: string;
  readonly text: string;
  readonly kind: LineKind;
  readonly category: string | null;
  readonly sku: string | null;
}

/** A purchase with a single line. */
export interface ExamplePurchase {
  readonly line: Pick<ExampleLine, "kind" | "category" | "sku">;
  /** The price of the line, in minor units. */
  readonly amount: number;
  readonly quantity: number;
  readonly at: LocalTime;
}

/** Returns how much a purchase gives if it is the day's first one on the card, and whether a limit reduces it. */
export function countExample(
  earning: Earning,
  { line: { kind, category, sku }, amount, quantity, at }: ExamplePurchase,
): { readonly units: number; readonly isLimited: boolean } {
  const line = { kind, category, sku, quantity, amount, tax: 0, returned: { quantity: 0, amount: 0 } };
  const purchase = { currency: earning.currency, lines: [line], paidWithPoints: 0 };
  const units = Number(countUnits(earning, purchase, at));
  const { perPurchase = units, perDay = units } = earning.limits;
  const limit = Math.min(perPurchase, perDay);
  return { units: Math.min(units, limit), isLimited: units > limit };
}

/** Lists the products that rules and bonuses name, and each kind of lines. */
export function listExampleLines({
  rules,
  bonuses,
}: Pick<Earning, "rules" | "bonuses">): readonly ExampleLine[] {
  const filters = [...rules, ...bonuses].flatMap(({ only }) => (only === undefined ? [] : [only]));
  const listTexts = (...names: readonly (keyof LineFilter)[]) => [
    ...new Set(filters.flatMap((filter) => names.flatMap((name) => filter[name] ?? []))),
  ];
  const categories = listTexts("categories", "notCategories").map((category) => ({
    ...{ key: `category ${category}`, text: words.category(category) },
    ...{ kind: "goods" as const, category, sku: null },
  }));
  const products = listTexts("skus", "notSkus").map((sku) => ({
    ...{ key: `sku ${sku}`, text: words.sku(sku) },
    ...{ kind: "goods" as const, category: null, sku },
  }));
  const isAnyNamed = categories.length + products.length > 0;
  const kinds = lineKinds.map(([kind, text]) => ({
    ...{ key: kind, text: kind === "goods" && isAnyNamed ? words.otherGoods : text },
    ...{ kind, category: null, sku: null },
  }));
  return [...categories, ...products, ...kinds];
}

/** Returns the key of a product that the first rule is for, so that the example gives something from the start. */
export function suggestExampleLine({ rules: [rule] }: Pick<Earning, "rules">): string {
  const [category] = rule?.only?.categories ?? [];
  const [sku] = rule?.only?.skus ?? [];
  if (category !== undefined) return `category ${category}`;
  return sku === undefined ? "goods" : `sku ${sku}`;
}
