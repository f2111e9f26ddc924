import * as z from "zod";
import { text } from "../base/fields/text.js";
import { onAnyObject, parse } from "../base/parse.js";

const MAX_LEVELS = 32;
const MAX_OPERANDS = 1_000;

export const tagConditionSchema = z.strictObject({ slug: text() }).meta({ id: "TagCondition" });

/** A condition in a tag filter. It matches the users who have the tag with the given slug. */
export type TagCondition = z.input<typeof tagConditionSchema>;

/**
 * A Boolean combination of tags. The operator applies to both the conditions and the nested filters. With AND, all operands must
 * match. With OR, at least one must match. With NOT, none must match.
 */
export interface TagFilter {
  /** Whether customers must match all (`AND`), at least one (`OR`), or none (`NOT`) of the conditions and nested groups. */
  readonly operator: "AND" | "OR" | "NOT";
  /** The conditions directly in this group, excluding those in nested groups. */
  readonly conditions?: readonly TagCondition[] | undefined;
  /** The nested groups. Each group counts as one operand. */
  readonly filters?: readonly TagFilter[] | undefined;
}

/** The schema for a tag filter. Unknown keys are rejected, so that a typo can't make a filter match more users than intended. */
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

export const tagQuerySchema = buildQuerySchema(tagFilterSchema).meta({ id: "UserTagQuery" });

export type TagQuery = z.input<typeof tagQuerySchema>;

export function parseTagQuery(query: unknown): z.output<typeof tagQuerySchema> {
  return parseWithFilter(tagQuerySchema, buildQuerySchema, query);
}

/**
 * Validates input that has a `filter`. Checks the filter's size first, without recursion, so that deep nesting can't exhaust the
 * stack. A filter that exceeds the limits is reported as a single error, together with the errors for other fields.
 * @param schema the input's schema.
 * @param buildSchema a function that builds the same schema around a different filter schema.
 * @param parseInput the function that validates the input. Pass `parseNew` for new resources.
 * @throws {LoyaltyError} `malformed_request`, `wrong_param_type`, or `validation_failed`.
 */
export function parseWithFilter<Filter, S extends z.ZodType>(
  schema: S,
  buildSchema: (filter: z.ZodType<Filter, Filter>) => S,
  input: unknown,
  parseInput: typeof parse = parse,
): z.output<S> {
  const rejectingSchema = createRejectingSchema<Filter>(readProperty(input, "filter"));
  return parseInput(rejectingSchema === null ? schema : buildSchema(rejectingSchema), input);
}

/**
 * Checks, without recursion, that a filter is within the size limits.
 * @returns a schema that rejects the filter with an error message, or `null` if the filter is within the limits.
 */
export function createRejectingSchema<Filter = TagFilter>(filter: unknown): z.ZodType<Filter, Filter> | null {
  const message = describeExceededLimit(filter);
  return message === null ? null : z.custom<Filter>(() => false, { error: message });
}

function buildQuerySchema(filter: z.ZodType<TagFilter, TagFilter>) {
  return z.object({
    filter,
    page: z.int().min(0).default(0),
    size: z.int().min(1).max(100).default(20),
  });
}

/**
 * Returns the error message for a filter that exceeds the limits: 32 levels, including the root, and 1,000 operands, not counting
 * the root.
 */
function describeExceededLimit(root: unknown): string | null {
  let operands = 0;
  let filters = [root];
  for (let level = 1; filters.length > 0; level += 1) {
    if (level > MAX_LEVELS) return `must be at most ${MAX_LEVELS} levels deep`;
    const nested = filters.flatMap((filter) => toArray(readProperty(filter, "filters")));
    const conditions = filters.flatMap((filter) => toArray(readProperty(filter, "conditions")));
    operands += nested.length + conditions.length;
    if (operands > MAX_OPERANDS) return `must have at most ${MAX_OPERANDS} operands`;
    filters = nested;
  }
  return null;
}

/** Returns an object's property, or `undefined` if the value isn't an object. */
export function readProperty(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function toArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
