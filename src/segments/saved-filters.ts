import type { Step } from "../base/concurrency/step.js";
import { validationFailed } from "../base/errors.js";
import type { Scope } from "../base/scopes.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { findLeafName, getLeafScope, listLeaves, type SegmentFilter } from "./filter-schema.js";
import { filterOf } from "./schema.js";

/** Maximum number of levels in a filter, with the segments it names replaced by their filters. */
const MAX_LEVELS = 32;

/** Maximum number of operands in a filter, with the segments it names replaced by their filters. */
const MAX_OPERANDS = 10_000;

/** The filters of saved segments, keyed by slug. */
export type SavedFilters = ReadonlyMap<string, SegmentFilter>;

const noFilters: SavedFilters = new Map();

/** Returns the slugs of the segments that a filter refers to directly. */
export function segmentsIn(filter: SegmentFilter): ReadonlySet<string> {
  const slugs = new Set<string>();
  for (const { segment } of listLeaves(filter)) if (segment !== undefined) slugs.add(segment);
  return slugs;
}

/**
 * Reads the organization's saved filters if the filter refers to any segment. Otherwise, reads nothing and returns an empty map.
 */
export function* savedFiltersFor(reader: StorageReader, filter: SegmentFilter): Step<SavedFilters> {
  return segmentsIn(filter).size === 0 ? noFilters : buildSavedFilters(yield* reader.listSegments());
}

export function buildSavedFilters(segments: readonly StoredSegment[]): SavedFilters {
  return new Map(segments.map((segment) => [segment.slug, filterOf(segment)]));
}

/** Returns the filter, followed by the filters of all segments that it refers to, directly or through other segments. */
export function filtersWithin(filter: SegmentFilter, savedFilters: SavedFilters): readonly SegmentFilter[] {
  const slugs = new Set(segmentsIn(filter));
  // Iterating over a set also visits the elements that the loop adds.
  for (const slug of slugs) {
    const referredFilter = savedFilters.get(slug);
    if (referredFilter !== undefined) for (const name of segmentsIn(referredFilter)) slugs.add(name);
  }
  return [filter, ...[...slugs].flatMap((slug) => savedFilters.get(slug) ?? [])];
}

export interface FilterSize {
  readonly levels: number;
  readonly operands: number;
}

/**
 * Checks that a filter isn't too large when combined with the segments it refers to.
 * @param sizes the sizes of saved filters that have already been measured.
 * @throws {LoyaltyError} `validation_failed` on `filter` if it has too many levels or operands.
 */
export function assertWithinLimits(
  filter: SegmentFilter,
  savedFilters: SavedFilters,
  root = "filter",
  sizes = new Map<string, FilterSize>(),
): void {
  const { levels, operands } = measureFilter(filter, savedFilters, sizes);
  if (levels > MAX_LEVELS)
    throw validationFailed({
      [root]: `must be at most ${MAX_LEVELS} levels deep, including the segments it refers to`,
    });
  if (operands > MAX_OPERANDS)
    throw validationFailed({
      [root]: `must have at most ${MAX_OPERANDS} operands, including the operands of the segments it refers to`,
    });
}

/** Measures a filter. Each segment is measured only once, even if it is named several times. */
function measureFilter(
  filter: SegmentFilter,
  savedFilters: SavedFilters,
  sizes: Map<string, FilterSize>,
): FilterSize {
  const { conditions = [], filters = [] } = filter;
  const nestedSizes = filters.map((nestedFilter) => measureFilter(nestedFilter, savedFilters, sizes));
  for (const { segment } of conditions) {
    if (segment !== undefined) nestedSizes.push(sizeOfSegment(segment, savedFilters, sizes));
  }
  return {
    levels: 1 + Math.max(0, ...nestedSizes.map(({ levels }) => levels)),
    operands: nestedSizes.reduce((sum, { operands }) => sum + operands, conditions.length + filters.length),
  };
}

function sizeOfSegment(slug: string, savedFilters: SavedFilters, sizes: Map<string, FilterSize>): FilterSize {
  const before = sizes.get(slug);
  const filter = savedFilters.get(slug);
  if (before !== undefined || filter === undefined) return before ?? { levels: 0, operands: 0 };
  // Stops the recursion on circular references.
  sizes.set(slug, { levels: 0, operands: 0 });
  const size = measureFilter(filter, savedFilters, sizes);
  sizes.set(slug, size);
  return size;
}

/**
 * Checks the segments that a filter refers to before the filter is saved.
 * @param slug the slug of the segment whose filter this is, or `null` if the segment is new or the filter belongs to another kind
 *   of resource.
 * @param root the path of the filter in the input.
 * @throws {LoyaltyError} `validation_failed` at the path of each condition that refers to a missing segment, to this segment
 *   itself, or to a segment that refers back to it. If the filter has too many levels or operands, the error is on `filter`
 *   instead.
 */
export function assertReferences(
  filter: SegmentFilter,
  savedFilters: SavedFilters,
  slug: string | null,
  root = "filter",
): void {
  const errors: Record<string, string> = {};
  const around = new Set(slug === null ? [] : [slug, ...findReferringSegments(slug, savedFilters)]);
  for (const [path, segment] of listSegmentNames(filter, root)) {
    if (!savedFilters.has(segment)) errors[path] = "must be the slug of a segment";
    else if (around.has(segment)) errors[path] = "must not be a segment that refers to this one";
  }
  if (Object.keys(errors).length > 0) throw validationFailed(errors);
  assertWithinLimits(filter, savedFilters, root);
}

/** Yields the segments that a filter names, each with its path. */
function* listSegmentNames(
  filter: SegmentFilter,
  path: string,
): Generator<readonly [path: string, segment: string]> {
  const { conditions = [], filters = [] } = filter;
  for (const [at, { segment }] of conditions.entries())
    if (segment !== undefined) yield [`${path}.conditions.${at}.segment`, segment];
  for (const [at, nestedFilter] of filters.entries())
    yield* listSegmentNames(nestedFilter, `${path}.filters.${at}`);
}

/**
 * Returns the slugs of the segments that refer to the given segment, directly or through other segments, in the order of `saved`.
 */
export function findReferringSegments(slug: string, savedFilters: SavedFilters): string[] {
  const namesBySlug = Array.from(
    savedFilters,
    ([referrer, filter]) => [referrer, segmentsIn(filter)] as const,
  );
  const slugs = new Set([slug]);
  for (const referred of slugs)
    for (const [referrer, names] of namesBySlug) if (names.has(referred)) slugs.add(referrer);
  return [...savedFilters.keys()].filter((candidate) => candidate !== slug && slugs.has(candidate));
}

/**
 * Returns the distinct scopes needed for everything that a filter reads, both directly and through the segments it refers to. The
 * scopes are in the order in which they are checked.
 */
export function scopesWithin(filter: SegmentFilter, savedFilters: SavedFilters): readonly Scope[] {
  const scopes = new Set<Scope>();
  const visitedSlugs = new Set<string>();
  const visit = (visited: SegmentFilter): void => {
    for (const condition of listLeaves(visited)) {
      const { segment } = condition;
      const scope = getLeafScope(findLeafName(condition));
      if (scope !== null) scopes.add(scope);
      if (segment === undefined || visitedSlugs.has(segment)) continue;
      visitedSlugs.add(segment);
      const savedFilter = savedFilters.get(segment);
      if (savedFilter !== undefined) visit(savedFilter);
    }
  };
  visit(filter);
  return [...scopes];
}

/** Selects users by a filter, by a saved segment's slug, or in another way, such as by ID. */
export interface UserSelector {
  readonly filter?: SegmentFilter | undefined;
  readonly segment?: string | undefined;
  readonly all?: unknown;
  readonly userIds?: unknown;
}

/** Returns the filter that selects the users, or `null` if they aren't selected by a filter or segment. */
export function resolveFilter({ filter, segment }: UserSelector): SegmentFilter | null {
  if (segment !== undefined) return { operator: "AND", conditions: [{ segment }] };
  return filter ?? null;
}

/**
 * Returns the scopes needed to select users by a filter or a saved segment. They include the scopes for everything that the filter
 * reads, directly or through the segments it refers to.
 */
export function* scopesForSelector(reader: StorageReader, selector: UserSelector): Step<readonly Scope[]> {
  const filter = resolveFilter(selector);
  if (filter === null) return [];
  const scopes = scopesWithin(filter, yield* savedFiltersFor(reader, filter));
  return selector.segment === undefined ? scopes : ["segment:read", ...scopes];
}
