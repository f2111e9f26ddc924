import * as z from "zod";
import { wireTimestamp } from "./fields/text.js";
import { segmentConditionSchema } from "./segment-filter.js";
import { leaves } from "./segment-leaves.js";

const changesAt = wireTimestamp.nullable();

/** What is answered has its defaults written out. */
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
 * A condition with its own key, and how it stands with one customer. `currentValue` is what the customer has of it: for a tag and a field
 * whether there is one, for another segment its explanation (`null` where it is not there), for `stamps`, `rewards` and `completions`
 * the number on each card, oldest card first; for `lastVisit` and `joined` the time; for `visits` the times that were counted, newest
 * first, at most 11; for `metadata` and `anniversary` the value, for `wallet` the platforms (`other` for one that is not known), for
 * `subscription` the status, for `language` the language. `since` is from when on that is so, as far as the data says it.
 */
export type ExplainedLeaf = z.input<typeof explainedLeafSchema>;

/** A filter of a segment, and how it stands with one customer. `changesAt` is when time alone changes `matched`, `null` for never. */
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

/** Why one customer is in a segment, or is not: all leaves of its filter, each looked at. */
export type SegmentExplanation = z.input<typeof segmentExplanationSchema>;
