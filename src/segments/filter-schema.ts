import * as z from "zod";
import { onAnyObject, requireExactlyOne } from "../base/parse.js";
import type { Scope } from "../base/scopes.js";
import { normalizeNfc } from "../base/values/text.js";
import { contactQuerySchema } from "../customers/contact-schema.js";
import { createRejectingSchema, parseWithFilter } from "../tags/tag-filter-schema.js";
import { type LeafName, type LeafValues, leafNames, leafSchemas } from "./leaf-schema.js";

const { slug, segment, stamps, rewards, completions, lastVisit, visits } = leafSchemas;
const { points, pointsExpire, spent, purchases } = leafSchemas;
const { joined, metadata, anniversary, field, wallet, subscription, language } = leafSchemas;

export const segmentConditionSchema = z
  .strictObject({
    slug: slug.optional(),
    segment: segment.optional(),
    stamps: stamps.optional(),
    rewards: rewards.optional(),
    completions: completions.optional(),
    lastVisit: lastVisit.optional(),
    visits: visits.optional(),
    points: points.optional(),
    pointsExpire: pointsExpire.optional(),
    spent: spent.optional(),
    purchases: purchases.optional(),
    joined: joined.optional(),
    metadata: metadata.optional(),
    anniversary: anniversary.optional(),
    field: field.optional(),
    wallet: wallet.optional(),
    subscription: subscription.optional(),
    language: language.optional(),
  })
  .superRefine(checkOneKey, onAnyObject)
  .meta({ id: "SegmentCondition", ...requireExactlyOne(...leafNames) });

/** A condition with a single key, such as `stamps`, and that key's value. */
export type ConditionOf<Name extends LeafName> = Pick<LeafValues, Name>;

/** A condition in a segment filter. It has exactly one of these keys. */
export type SegmentCondition = {
  [Name in LeafName]: ConditionOf<Name> & { readonly [Other in Exclude<LeafName, Name>]?: undefined };
}[LeafName];

// At runtime the schema rejects a second key, which its own type doesn't express.
const oneConditionSchema = segmentConditionSchema as z.ZodType<unknown> as z.ZodType<
  SegmentCondition,
  SegmentCondition
>;

/**
 * A Boolean combination of conditions on tags and behavior. The operator applies to both the conditions and the nested filters, as
 * in a tag filter.
 */
export interface SegmentFilter {
  /** Whether customers must match all (`AND`), at least one (`OR`), or none (`NOT`) of the conditions and nested groups. */
  readonly operator: "AND" | "OR" | "NOT";
  /** The conditions directly in this group, excluding those in nested groups. */
  readonly conditions?: readonly SegmentCondition[] | undefined;
  /** The nested groups. Each group counts as one operand. */
  readonly filters?: readonly SegmentFilter[] | undefined;
}

/** The schema for a segment filter. Unknown keys are rejected, so that a typo can't make a segment larger than intended. */
export const segmentFilterSchema: z.ZodType<SegmentFilter, SegmentFilter> = z
  .strictObject({
    operator: z.enum(["AND", "OR", "NOT"]),
    conditions: z.array(oneConditionSchema).optional(),
    get filters() {
      return z.array(segmentFilterSchema).optional();
    },
  })
  .refine(({ conditions, filters }) => (conditions?.length ?? 0) + (filters?.length ?? 0) > 0, {
    error: "must have at least one condition or filter",
    ...onAnyObject,
  })
  .meta({ id: "SegmentFilter" });

export const segmentQuerySchema = buildQuerySchema(segmentFilterSchema).meta({ id: "SegmentQuery" });

/** A query for the users who match a filter, with the order and the page to return. `size: 0` returns only the total. */
export type SegmentQuery = z.input<typeof segmentQuerySchema>;

export function parseSegmentQuery(query: unknown): z.output<typeof segmentQuerySchema> {
  return parseWithFilter(segmentQuerySchema, buildQuerySchema, query);
}

function buildQuerySchema(filter: z.ZodType<SegmentFilter, SegmentFilter>) {
  return z.object({
    filter,
    page: z.int().min(0).default(0),
    size: z.int().min(0).max(100).default(20),
    sort: contactQuerySchema.shape.sort.unwrap().default("createdAt,asc"),
  });
}

/** Requires exactly one key. If the only key is unknown, the issue for that key is enough. */
function checkOneKey(condition: object, context: z.RefinementCtx): void {
  const keys = Object.values(condition).filter((value) => value !== undefined).length;
  const hasUnknown = context.issues.some(({ code }) => code === "unrecognized_keys");
  if (keys === 1 || (keys === 0 && hasUnknown)) return;
  context.addIssue({ code: "custom", message: `must have exactly one of ${leafNames.join(", ")}` });
}

/** Returns the kind of a valid condition, which is its only key whose value isn't `undefined`. */
export function findLeafName(condition: SegmentCondition): LeafName {
  for (const name of leafNames) if (condition[name] !== undefined) return name;
  throw new Error("a condition of a segment filter has no leaf");
}

const scopes: Readonly<Record<LeafName, Scope | null>> = {
  slug: "user_tag:read",
  segment: null,
  stamps: "pass:read",
  rewards: "pass:read",
  completions: "pass:read",
  lastVisit: "pass:read",
  visits: "pass:read",
  points: "pass:read",
  pointsExpire: "pass:read",
  spent: "purchase:read",
  purchases: "purchase:read",
  wallet: "pass:read",
  joined: "user:read",
  metadata: "user:read",
  anniversary: "user:read",
  field: "user:read",
  subscription: "user:read",
  language: "user:read",
};

/**
 * The scopes needed to read the runs of automations whose conditions may be gone. Purchases are left out, so that tokens
 * from before there were purchases can still read runs: a run says only that a condition was met.
 */
export const pastConditionScopes: readonly Scope[] = [
  ...new Set(Object.values(scopes).filter((scope) => scope !== null && scope !== "purchase:read")),
];

/** Parses a filter and fills in defaults. Returns `null` if the filter is invalid. */
export function parseFilterOrNull(filter: unknown): SegmentFilter | null {
  if (createRejectingSchema(filter) !== null) return null;
  return segmentFilterSchema.safeParse(filter).data ?? null;
}

/**
 * Returns the scope needed to use a kind of condition in a filter. Returns `null` for `segment`, because its scopes depend on the
 * filter of the segment that the condition refers to.
 */
export function getLeafScope(leaf: LeafName): Scope | null {
  return scopes[leaf];
}

/**
 * Returns the conditions in a filter and its nested filters, in depth-first order. At each level, conditions come before nested
 * filters.
 */
export function listLeaves(filter: SegmentFilter): readonly SegmentCondition[] {
  const leaves: SegmentCondition[] = [];
  const collectLeaves = ({ conditions = [], filters = [] }: SegmentFilter): void => {
    leaves.push(...conditions);
    filters.forEach(collectLeaves);
  };
  collectLeaves(filter);
  return leaves;
}

/** Returns the distinct scopes needed to use a filter's conditions, in the order in which they are checked. */
export function listLeafScopes(filter: SegmentFilter): readonly Scope[] {
  const scopes = new Set<Scope>();
  for (const condition of listLeaves(filter)) {
    const scope = getLeafScope(findLeafName(condition));
    if (scope !== null) scopes.add(scope);
  }
  return [...scopes];
}

/**
 * Converts a filter to its canonical form, so that filters that differ only in notation become equal. Strings are in NFC, defaults
 * are explicit, empty arrays are omitted, and keys are in a fixed order.
 * @param filter a filter that its schema has parsed, so that defaults are filled in and keys are ordered.
 */
export function canonicalizeFilter({
  operator,
  conditions = [],
  filters = [],
}: SegmentFilter): SegmentFilter {
  return {
    operator,
    ...(conditions.length > 0 && { conditions: conditions.map(canonicalizeCondition) }),
    ...(filters.length > 0 && { filters: filters.map(canonicalizeFilter) }),
  };
}

function canonicalizeCondition(condition: SegmentCondition): SegmentCondition {
  const { metadata } = condition;
  if (typeof metadata?.equals !== "string") return condition;
  return { metadata: { path: metadata.path, equals: normalizeNfc(metadata.equals) } };
}

/** Maximum total length of the cached filters' JSON, in characters. The parsed filters take about three times as many bytes. */
const MAX_CACHED_CHARACTERS = 8_000_000;

/** Parsed filters, keyed by their JSON, least recently used first. */
const parsedFilters = new Map<string, SegmentFilter>();
let cachedCharacters = 0;

/**
 * Parses the JSON of a validated filter. While a filter is cached, parsing the same JSON again returns the same frozen object, so
 * plans can be cached by object identity.
 */
export function readFilter(text: string): SegmentFilter {
  const cachedFilter = parsedFilters.get(text);
  const filter = cachedFilter ?? deepFreeze(JSON.parse(text));
  if (cachedFilter === undefined) cachedCharacters += text.length;
  parsedFilters.delete(text);
  parsedFilters.set(text, filter);
  for (const oldest of parsedFilters.keys()) {
    if (cachedCharacters <= MAX_CACHED_CHARACTERS) break;
    parsedFilters.delete(oldest);
    cachedCharacters -= oldest.length;
  }
  return filter;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
