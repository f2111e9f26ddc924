import * as z from "zod";
import { wireTimestamp } from "../base/fields/text.js";
import { segmentConditionSchema } from "./filter-schema.js";
import { leafSchemas } from "./leaf-schema.js";

const changesAt = wireTimestamp.nullable();

/** Adds `min`, because responses include its default. */
const withMin = <Leaf extends typeof leafSchemas.rewards>({ shape }: Leaf) =>
  z.object({ ...shape, min: shape.min.unwrap().optional() }).optional();

export const explainedLeafSchema = z
  .object({
    ...segmentConditionSchema.shape,
    rewards: withMin(leafSchemas.rewards),
    completions: withMin(leafSchemas.completions),
    language: z.string().optional(),
    matched: z.boolean(),
    currentValue: z.unknown().meta({
      type: ["boolean", "number", "string", "array", "object", "null"],
    }),
    since: wireTimestamp.nullable(),
    changesAt,
  })
  .meta({ id: "ExplainedCondition" });

/**
 * A condition with its value for one customer. The type of `currentValue` depends on the condition's key. For a tag or a `field`,
 * it is `true` if the customer has that tag or field. For a segment, it is the explanation of that segment's filter, or `null` if
 * the segment no longer exists. For `stamps`, `rewards`, `completions`, `points`, and `pointsExpire`, it lists the count on each card,
 * oldest card first. For `spent`, it is the sum, and for `purchases`, it is the number. For `lastVisit` and `joined`, it is the time. For `visits`, it lists the times of at most 11 counted visits, newest first. For
 * `metadata` and `anniversary`, it is the metadata value. For `wallet`, it lists the wallet platforms, with `other` for unknown
 * ones. For `subscription`, it is the status. For `language`, it is the customer's language. `since` is when the result last
 * changed, or `null` if it isn't known.
 */
export type ExplainedLeaf = z.input<typeof explainedLeafSchema>;

/**
 * A segment filter with its result for one customer. `changesAt` is when the passage of time alone will change `matched`, or `null`
 * if it never will.
 */
export interface ExplainedFilter {
  /** Whether customers must match all (`AND`), at least one (`OR`), or none (`NOT`) of the conditions and nested groups. */
  readonly operator: "AND" | "OR" | "NOT";
  /** Whether the customer matches this group, including its nested groups. */
  readonly matched: boolean;
  /** When the result will change through the passage of time alone, or `null` if it never will. */
  readonly changesAt: string | null;
  /** The conditions directly in this group, each with its result. */
  readonly conditions: readonly ExplainedLeaf[];
  /** The filters nested directly in this group, each with its own result. */
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

/** Explains why a customer is or isn't in a segment, with the result of each condition in the segment's filter. */
export type SegmentExplanation = z.input<typeof segmentExplanationSchema>;
