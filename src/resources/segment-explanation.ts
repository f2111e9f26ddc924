import * as z from "zod";
import { wireTimestamp } from "./fields/text.js";
import { segmentConditionSchema } from "./segment-filter.js";
import { leaves } from "./segment-leaves.js";

const changesAt = wireTimestamp.nullable();

/** Adds `min`, because responses include its default. */
const withMin = <Leaf extends typeof leaves.rewards>({ shape }: Leaf) =>
  z.object({ ...shape, min: shape.min.unwrap().optional() }).optional();

export const explainedLeafSchema = z
  .object({
    ...segmentConditionSchema.shape,
    rewards: withMin(leaves.rewards),
    completions: withMin(leaves.completions),
    language: z.string().optional(),
    matched: z.boolean(),
    currentValue: z.unknown().meta({
      type: ["boolean", "number", "string", "array", "object", "null"],
      description: "The user's current value; for a segment, its filter as a `tree`.",
    }),
    since: wireTimestamp.nullable(),
    changesAt,
  })
  .meta({ id: "ExplainedCondition" });

/**
 * A condition's key, with its value for one customer. `currentValue` is whether the customer has the tag or the field; the
 * explanation of another segment (`null` if it no longer exists); the number on each card for `stamps`, `rewards` and
 * `completions`, oldest card first; the time for `lastVisit` and `joined`; the times of at most 11 counted visits, newest first;
 * the value for `metadata` and `anniversary`; the platforms for `wallet` (`other` for an unknown platform); the status for
 * `subscription`; the language for `language`. `since` is when the current result began, if the stored data shows it.
 */
export type ExplainedLeaf = z.input<typeof explainedLeafSchema>;

/**
 * A segment filter with its result for one customer. `changesAt` is when the passage of time alone changes `matched`; `null` if it
 * never does.
 */
export interface ExplainedFilter {
  readonly operator: "AND" | "OR" | "NOT";
  readonly matched: boolean;
  readonly changesAt: string | null;
  readonly conditions: readonly ExplainedLeaf[];
  readonly filters: readonly ExplainedFilter[];
}

export const explainedFilterSchema: z.ZodType<ExplainedFilter, ExplainedFilter> = z
  .object({
    operator: z.enum(["AND", "OR", "NOT"]),
    matched: z.boolean(),
    changesAt,
    conditions: z.array(explainedLeafSchema),
    get filters() {
      return z.array(explainedFilterSchema);
    },
  })
  .meta({ id: "ExplainedFilter" });

export const segmentExplanationSchema = z
  .object({
    object: z.literal("segment_explanation"),
    segment: z.object({ id: z.string(), slug: z.string(), name: z.string() }),
    userId: z.string(),
    matched: z.boolean(),
    tree: explainedFilterSchema,
  })
  .meta({ id: "SegmentExplanation" });

/** Explains why a customer is or isn't in a segment: the result of each leaf of its filter. */
export type SegmentExplanation = z.input<typeof segmentExplanationSchema>;
