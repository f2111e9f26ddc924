import { z } from "zod";
import { invalid } from "../errors.js";
import { onAnyObject } from "../schemas/across-fields.js";
import { text } from "../schemas/text.js";

const MAX_LEVELS = 32;
const MAX_OPERANDS = 1_000;

export const tagConditionSchema = z.strictObject({ slug: text() }).meta({ id: "TagCondition" });

/** A leaf: users who have the tag of this slug. */
export type TagCondition = z.input<typeof tagConditionSchema>;

/**
 * A boolean combination of tags. The operator applies to conditions and nested filters alike: AND, every
 * operand matches; OR, at least one; NOT, none.
 */
export interface TagFilter {
  readonly operator: "AND" | "OR" | "NOT";
  readonly conditions?: readonly TagCondition[] | undefined;
  readonly filters?: readonly TagFilter[] | undefined;
}

/** Unknown keys are refused, so a mistyped one never widens a segment. */
export const tagFilterSchema: z.ZodType<TagFilter, TagFilter> = z
  .strictObject({
    operator: z.enum(["AND", "OR", "NOT"]),
    conditions: z.array(tagConditionSchema).optional(),
    get filters() {
      return z.array(tagFilterSchema).optional();
    },
  })
  .refine(({ conditions, filters }) => (conditions?.length ?? 0) + (filters?.length ?? 0) > 0, {
    error: "must have at least one condition or filter",
    ...onAnyObject,
  })
  .meta({ id: "TagFilter" });

export const tagQuerySchema = z
  .object({
    filter: tagFilterSchema,
    page: z.int().min(0).default(0),
    size: z.int().min(1).max(100).default(20),
  })
  .meta({ id: "UserTagQuery" });

export type TagQuery = z.input<typeof tagQuerySchema>;

/**
 * Measures the filter of an unchecked query without recursion, before anything that recurses sees it: at most
 * 32 levels, the root the first, and 1,000 operands, the root not counted.
 * @throws {LoyaltyError} `validation_failed` on `filter`.
 */
export function assertFilterBounds(query: unknown): void {
  let operands = 0;
  let filters = [childOf(query, "filter")];
  for (let level = 1; filters.length > 0; level += 1) {
    if (level > MAX_LEVELS) throw invalid({ filter: `must be at most ${MAX_LEVELS} levels deep` });
    const nested = filters.flatMap((filter) => listOf(childOf(filter, "filters")));
    const conditions = filters.flatMap((filter) => listOf(childOf(filter, "conditions")));
    operands += nested.length + conditions.length;
    if (operands > MAX_OPERANDS) throw invalid({ filter: `must have at most ${MAX_OPERANDS} operands` });
    filters = nested;
  }
}

function childOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
