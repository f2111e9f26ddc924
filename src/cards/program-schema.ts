import * as z from "zod";
import { limitedList } from "../base/fields/limited-list.js";
import { nonBlankText } from "../base/fields/text.js";
import { MAX_UNITS } from "../base/values/program-limits.js";

/** The most stamps that a rule gives at a time. */
const MAX_STAMPS_PER_RULE = 100;

export const lineKinds = ["goods", "shipping", "tip", "fee", "gift_card"] as const;

export type LineKind = (typeof lineKinds)[number];

/** The schema for a SKU or a category of a line. */
export const lineLabel = nonBlankText(100);

export const currency = z.string().regex(/^[A-Z]{3}$/, { error: "must be a currency code such as EUR" });

const labels = limitedList(lineLabel, 100, 0).optional();

const lineFilterSchema = z
  .object({ skus: labels, categories: labels, notSkus: labels, notCategories: labels })
  .meta({ id: "LineFilter" });

/**
 * Which lines a rule or a bonus is for. A line matches if it is in every list that is given and in none of the lists that begin
 * with `not`.
 */
export type LineFilter = z.output<typeof lineFilterSchema>;

const earningRuleSchema = z
  .object({
    give: z.int().min(1).max(1_000_000),
    per: z.union([z.object({ amount: z.int().min(1) }), z.enum(["purchase", "item"])]),
    only: lineFilterSchema.optional(),
    minAmount: z.int().min(0).default(0),
    inSteps: z.boolean().optional(),
  })
  .meta({ id: "EarningRule" });

/** A rule by which a purchase earns stamps or points. Amounts are in minor units of the currency. */
export type EarningRule = z.output<typeof earningRuleSchema>;

const date = z.iso.date({ error: "must be a date such as 2026-01-31" });
const time = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day such as 14:00" });

const bonusSchema = z
  .object({
    percent: z.int().min(101).max(1_000),
    only: lineFilterSchema.optional(),
    from: date.optional(),
    to: date.optional(),
    weekdays: limitedList(z.int().min(1).max(7), 7, 0).optional(),
    between: z.object({ from: time, to: time }).optional(),
  })
  .meta({ id: "EarningBonus" });

/** A bonus for the lines that match it, if the purchase happened at one of the given times. */
export type Bonus = z.output<typeof bonusSchema>;

const countsSchema = z.object({
  kinds: limitedList(z.enum(lineKinds), lineKinds.length, 0).default(["goods"]),
  tax: z.boolean().default(true),
  paidWithPoints: z.boolean().default(false),
});

const limit = z.int().min(0).max(MAX_UNITS).optional();

export const earningSchema = z
  .object({
    currency,
    rules: limitedList(earningRuleSchema, 20),
    combine: z.enum(["sum", "best"]).default("sum"),
    bonuses: limitedList(bonusSchema, 20, 0).default([]),
    counts: countsSchema.default({ kinds: ["goods"], tax: true, paidWithPoints: false }),
    limits: z.object({ perPurchase: limit, perDay: limit }).default({}),
    onReturn: z.enum(["debt", "forgive"]).default("debt"),
  })
  .meta({ id: "Earning" });

/** How purchases earn stamps or points on a template's cards. */
export type Earning = z.output<typeof earningSchema>;

const expirySchema = z.union([
  z.object({ days: z.int().min(1).max(3_650) }),
  z.object({ months: z.int().min(1).max(120), to: z.enum(["day", "month", "year"]) }),
]);

export const pointTermsSchema = z
  .object({
    unit: nonBlankText(30).nullish().default(null),
    pendingDays: z.int().min(0).max(365).default(0),
    expiry: expirySchema.nullish().default(null),
    graceDays: z.int().min(0).max(90).default(0),
  })
  .meta({ id: "PointTerms" });

/** What points are called on a template's cards, when they become usable, and when they expire. */
export type PointTerms = z.output<typeof pointTermsSchema>;

/** The fields of a template that say how its cards earn. */
export const programFields = {
  earning: earningSchema.nullable(),
  points: pointTermsSchema.nullable(),
};

/** The parsed fields of a template that say how its cards earn. */
export interface Program {
  readonly earning: Earning | null;
  readonly points: PointTerms | null;
}

/** Finds a message for each invalid field of a template's program. Empty if the program is valid. */
export function findProgramErrors(
  type: "STAMP_CARD" | "LOYALTY_CARD",
  { earning, points }: Program,
): ReadonlyMap<string, string> {
  const errors = new Map<string, string>();
  if (type === "LOYALTY_CARD") {
    if (earning !== null && points === null)
      errors.set("earning", "needs points, which this template doesn't have");
    return errors;
  }
  if (points !== null) errors.set("points", "is not allowed for a stamp card");
  for (const [index, { give }] of (earning?.rules ?? []).entries()) {
    if (give > MAX_STAMPS_PER_RULE)
      errors.set(`earning.rules.${index}.give`, `must be at most ${MAX_STAMPS_PER_RULE} for a stamp card`);
  }
  return errors;
}

/** Parses the program that a template or one of its past versions stores. */
export function parseProgram(row: {
  readonly earning: string | null;
  readonly points: string | null;
}): Program {
  return {
    earning: row.earning === null ? null : JSON.parse(row.earning),
    points: row.points === null ? null : JSON.parse(row.points),
  };
}
