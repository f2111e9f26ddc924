import * as z from "zod";
import { dayOrTime } from "../base/fields/instant.js";
import { languageText } from "../base/fields/language.js";
import { text } from "../base/fields/text.js";
import { onAnyObject } from "../base/parse.js";
import { MAX_UNITS } from "../base/values/program-limits.js";
import { currency } from "../cards/program-schema.js";
import { messageChannels, subscriptionStatuses } from "../storage/subscriptions.js";

/** Maximum number of days: a hundred years. */
const MAX_DAYS = 36_500;
const MAX_STAMPS = 1_000_000;
const MAX_VISIT_DAYS = 730;

/** Maximum value of `min` and `max` in a `visits` condition. */
export const MAX_VISITS = 10;
const MAX_ANNIVERSARY_DAYS = 365;

/** Maximum number of days that a condition on points or purchases looks ahead or back. */
export const MAX_LEDGER_DAYS = 730;

/** Maximum value of `min` and `max` in a `spent` condition, in minor units. */
const MAX_SPENT = 1_000_000_000_000;
const MAX_PURCHASES = 1_000_000;
const MAX_PATH_KEYS = 8;
const MAX_KEY_LENGTH = 200;

const days = z.int().min(0).max(MAX_DAYS).optional();
const stampBound = z.int().min(0).max(MAX_STAMPS);
const visitBound = z.int().min(0).max(MAX_VISITS);

const ledgerDays = z.int().min(0).max(MAX_LEDGER_DAYS);
const pointBound = z.int().min(0).max(MAX_UNITS);
const amountBound = z.int().min(0).max(MAX_SPENT);
const purchaseBound = z.int().min(0).max(MAX_PURCHASES);

/** A flag that must be `true` if it is present. */
const trueSchema = z
  .boolean()
  .refine((value) => value, { error: "must be true" })
  .meta({ const: true });

interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/**
 * Rejects a `min` greater than `max`.
 * @param defaultMin the default for `min`.
 */
function checkOrder(defaultMin: number) {
  return ({ min = defaultMin, max }: Bounds, context: z.RefinementCtx): void => {
    if (max !== undefined && min > max)
      context.addIssue({ code: "custom", path: ["min"], message: `must not be greater than max (${max})` });
  };
}

/** Requires at least one of two bounds. */
const requireBound: [
  isValid: (bounds: Bounds) => boolean,
  issue: { path: string[]; error: string } & typeof onAnyObject,
] = [
  ({ min, max }) => min !== undefined || max !== undefined,
  { path: ["min"], error: "is required unless you give max", ...onAnyObject },
];

/** Requires exactly one of several alternatives. Each alternative has one or more keys. */
function requireOneAlternative<const Alternatives extends readonly (readonly string[])[]>(
  ...alternatives: Alternatives
) {
  const labels = alternatives.map((keys) => keys.join(" and "));
  return {
    alternatives,
    isValid: (leaf: object) =>
      alternatives.filter((keys) => keys.some((key) => hasKey(leaf, key))).length === 1,
    issue: { error: `must have exactly one of ${labels.join(", ")}`, ...onAnyObject },
  };
}

function hasKey(leaf: object, key: string): boolean {
  return Object.hasOwn(leaf, key) && Reflect.get(leaf, key) !== undefined;
}

const stamps = z
  .strictObject({ templateId: text(), min: stampBound.optional(), max: stampBound.optional() })
  .superRefine(checkOrder(0));

const createCountLeaf = () =>
  z
    .strictObject({ templateId: text().optional(), min: stampBound.default(1), max: stampBound.optional() })
    .superRefine(checkOrder(1));

const lastVisitAlternatives = requireOneAlternative(["withinDays"], ["beforeDays"], ["never"]);
const lastVisit = z
  .strictObject({
    templateId: text().optional(),
    withinDays: days,
    beforeDays: days,
    never: trueSchema.optional(),
  })
  .refine(lastVisitAlternatives.isValid, lastVisitAlternatives.issue);

const visits = z
  .strictObject({
    templateId: text().optional(),
    days: z.int().min(0).max(MAX_VISIT_DAYS),
    min: visitBound.optional(),
    max: visitBound.optional(),
  })
  .superRefine(checkOrder(0))
  .refine(...requireBound);

const points = z
  .strictObject({ templateId: text(), min: pointBound.optional(), max: pointBound.optional() })
  .superRefine(checkOrder(0));

const pointsExpire = z.strictObject({ templateId: text(), withinDays: ledgerDays });

const spent = z
  .strictObject({
    days: ledgerDays,
    currency,
    min: amountBound.optional(),
    max: amountBound.optional(),
  })
  .superRefine(checkOrder(0))
  .refine(...requireBound);

const purchases = z
  .strictObject({ days: ledgerDays, min: purchaseBound.optional(), max: purchaseBound.optional() })
  .superRefine(checkOrder(0))
  .refine(...requireBound);

const momentSchema = z.string().superRefine((value, context) => {
  const { error } = dayOrTime.safeParse(value);
  for (const { message } of error?.issues ?? []) context.addIssue({ code: "custom", message });
});

const joinedAlternatives = requireOneAlternative(["withinDays"], ["beforeDays"], ["from", "to"]);
const joinedSchema = z
  .strictObject({
    withinDays: days,
    beforeDays: days,
    from: momentSchema.optional(),
    to: momentSchema.optional(),
  })
  .refine(joinedAlternatives.isValid, joinedAlternatives.issue)
  .refine(({ from, to }) => from === undefined || to === undefined || !isReversed(from, to), {
    path: ["to"],
    error: "must be after from",
    ...onAnyObject,
  });

/** Returns whether the range from `from` (inclusive) to `to` (exclusive) is empty in every time zone. */
function isReversed(from: string, to: string): boolean {
  if (typeof from !== "string" || typeof to !== "string") return false;
  const maxOffsetMs = from.includes("T") === to.includes("T") ? 0 : 16 * 3_600_000;
  return Date.parse(from) >= Date.parse(to) + maxOffsetMs;
}

/** Builds a schema for a value that may have one of several JSON types. Other types are reported as a wrong type. */
function createAnySchema<Value>(
  isOfType: (value: unknown) => boolean,
  findProblem: (value: unknown) => string | null,
  meta: Readonly<Record<string, unknown>>,
): z.ZodType<Value, Value> {
  return z
    .any()
    .superRefine((value: unknown, context) => {
      if (value === undefined) return;
      if (!isOfType(value)) {
        context.addIssue({ code: "invalid_type", expected: "string", input: value });
        return;
      }
      const message = findProblem(value);
      if (message !== null) context.addIssue({ code: "custom", message });
    })
    .meta(meta);
}

const equalsSchema = createAnySchema<string | number | boolean>(
  (value) =>
    typeof value === "string" ||
    typeof value === "boolean" ||
    (typeof value === "number" && Number.isFinite(value)),
  (value) =>
    typeof value === "string" && !text().safeParse(value).success
      ? "must not contain NUL or lone surrogates"
      : null,
  { type: ["string", "number", "boolean"] },
);

const month = createAnySchema<number | "this">(
  (value) => Number.isInteger(value) || typeof value === "string",
  (value) => (value === "this" || isMonth(value) ? null : 'must be a month from 1 to 12, or "this"'),
  { anyOf: [{ type: "integer", minimum: 1, maximum: 12 }, { const: "this" }] },
);

function isMonth(value: unknown): boolean {
  return typeof value === "number" && value >= 1 && value <= 12;
}

/** The schema for the path to a metadata value: an array of non-empty keys, starting with the outermost one. */
export const metadataPath: z.ZodType<readonly string[], readonly string[]> = z
  .array(text(MAX_KEY_LENGTH).refine((key) => key !== "", { error: "must not be empty" }))
  .min(1)
  .max(MAX_PATH_KEYS);

const metadataAlternatives = requireOneAlternative(
  ["equals"],
  ["min", "max"],
  ["exists"],
  ["withinDays"],
  ["beforeDays"],
);
const metadata = z
  .strictObject({
    path: metadataPath,
    equals: equalsSchema.optional(),
    min: z.number().optional(),
    max: z.number().optional(),
    exists: z.boolean().optional(),
    withinDays: days,
    beforeDays: days,
  })
  .superRefine(checkOrder(Number.NEGATIVE_INFINITY))
  .refine(metadataAlternatives.isValid, metadataAlternatives.issue);

const anniversaryAlternatives = requireOneAlternative(["month"], ["withinDays"]);
const anniversary = z
  .strictObject({
    path: metadataPath,
    month: month.optional(),
    withinDays: z.int().min(0).max(MAX_ANNIVERSARY_DAYS).optional(),
  })
  .refine(anniversaryAlternatives.isValid, anniversaryAlternatives.issue);

const field = z.strictObject({ name: z.enum(["phone", "name", "externalId"]), exists: z.boolean() });

const wallet = z.strictObject({
  platform: z.enum(["apple", "google"]).optional(),
  templateId: text().optional(),
  installed: z.boolean(),
});

const subscription = z.strictObject({
  channel: z.enum(messageChannels),
  status: z.enum(subscriptionStatuses),
});

/** The schema for the value of each kind of condition, keyed by the condition's key. */
export const leafSchemas = {
  slug: text(),
  segment: text(),
  stamps,
  rewards: createCountLeaf(),
  completions: createCountLeaf(),
  lastVisit,
  visits,
  points,
  pointsExpire,
  spent,
  purchases,
  joined: joinedSchema,
  metadata,
  anniversary,
  field,
  wallet,
  subscription,
  language: languageText,
};

type Leaves = { [Name in keyof typeof leafSchemas]: z.input<(typeof leafSchemas)[Name]> };

export type LeafName = keyof Leaves;

/** A schema's input type that has at least one key of exactly one alternative. */
type OneAlternative<Leaf, Alternatives extends readonly (readonly string[])[]> = Omit<
  Leaf,
  Alternatives[number][number]
> &
  {
    [At in keyof Alternatives]: KeysOfAlternative<
      Leaf,
      Alternatives[At][number] & keyof Leaf,
      Alternatives[number][number]
    >;
  }[number];

/** A leaf with at least one key of one alternative, and no keys of the other alternatives. */
type KeysOfAlternative<Leaf, Own extends keyof Leaf, All extends string> = {
  [Key in Own]: Readonly<Required<Pick<Leaf, Key>>>;
}[Own] &
  Readonly<Partial<Pick<Leaf, Own>>> & { readonly [Other in Exclude<All, Own>]?: undefined };

interface NarrowLeaves {
  readonly lastVisit: OneAlternative<Leaves["lastVisit"], typeof lastVisitAlternatives.alternatives>;
  readonly visits: OneAlternative<Leaves["visits"], readonly [readonly ["min", "max"]]>;
  readonly spent: OneAlternative<Leaves["spent"], readonly [readonly ["min", "max"]]>;
  readonly purchases: OneAlternative<Leaves["purchases"], readonly [readonly ["min", "max"]]>;
  readonly joined: OneAlternative<Leaves["joined"], typeof joinedAlternatives.alternatives>;
  readonly metadata: OneAlternative<Leaves["metadata"], typeof metadataAlternatives.alternatives>;
  readonly anniversary: OneAlternative<Leaves["anniversary"], typeof anniversaryAlternatives.alternatives>;
}

/** Maps each condition's key to the type of its value. */
export type LeafValues = {
  readonly [Name in keyof Leaves]: Name extends keyof NarrowLeaves ? NarrowLeaves[Name] : Leaves[Name];
};

/** The keys of all kinds of conditions, in the same order as in the API reference. */
export const leafNames = Object.keys(leafSchemas) as readonly LeafName[];
