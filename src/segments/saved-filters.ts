import type { Step } from "../base/concurrency/step.js";
import { validationFailed } from "../base/errors.js";
import type { Scope } from "../base/scopes.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { findLeaf, listLeaves, type SegmentFilter, scopeOfLeaf } from "./filter-schema.js";
import { filterOf } from "./schema.js";

/** Maximum number of levels in a filter, with the segments it names replaced by their filters. */
const MOST_LEVELS = 32;

/** Maximum number of operands in a filter, with the segments it names replaced by their filters. */
const MOST_OPERANDS = 10_000;

/** The filters of saved segments, keyed by slug. */
export type SavedFilters = ReadonlyMap<string, SegmentFilter>;

const none: SavedFilters = new Map();

/** Returns the slugs of the segments that a filter refers to directly. */
export function segmentsIn(filter: SegmentFilter): ReadonlySet<string> {
  const slugs = new Set<string>();
  for (const { segment } of listLeaves(filter)) if (segment !== undefined) slugs.add(segment);
  return slugs;
}

/**
 * Reads the organization's saved filters if the filter refers to any segment. Otherwise, reads nothing and returns an empty map.
 */
export function* savedFiltersFor(
  reader: StorageReader,
  organizationId: string,
  filter: SegmentFilter,
): Step<SavedFilters> {
  return segmentsIn(filter).size === 0 ? none : buildSavedFilters(yield* reader.listSegments(organizationId));
}

export function buildSavedFilters(segments: readonly StoredSegment[]): SavedFilters {
  return new Map(segments.map((segment) => [segment.slug, filterOf(segment)]));
}

/** Returns the filter, followed by the filters of all segments that it refers to, directly or through other segments. */
export function filtersWithin(filter: SegmentFilter, saved: SavedFilters): readonly SegmentFilter[] {
  const slugs = new Set(segmentsIn(filter));
  // Iterating over a set also visits the elements that the loop adds.
  for (const slug of slugs) {
    const inner = saved.get(slug);
    if (inner !== undefined) for (const name of segmentsIn(inner)) slugs.add(name);
  }
  return [filter, ...[...slugs].flatMap((slug) => saved.get(slug) ?? [])];
}

export interface FilterSize {
  readonly levels: number;
  readonly operands: number;
}

/**
 * Checks that a filter isn't too large when combined with the segments it refers to.
 * @param known the sizes of saved filters that have already been measured.
 * @throws {LoyaltyError} `validation_failed` on `filter` if it has too many levels or operands.
 */
export function assertWithinLimits(
  filter: SegmentFilter,
  saved: SavedFilters,
  root = "filter",
  known = new Map<string, FilterSize>(),
): void {
  const { levels, operands } = measureFilter(filter, saved, known);
  if (levels > MOST_LEVELS)
    throw validationFailed({
      [root]: `must be at most ${MOST_LEVELS} levels deep, including the segments it refers to`,
    });
  if (operands > MOST_OPERANDS)
    throw validationFailed({
      [root]: `must have at most ${MOST_OPERANDS} operands, including the operands of the segments it refers to`,
    });
}

/** Measures a filter. Each segment is measured only once, even if it is named several times. */
function measureFilter(
  filter: SegmentFilter,
  saved: SavedFilters,
  known: Map<string, FilterSize>,
): FilterSize {
  const { conditions = [], filters = [] } = filter;
  const nested = filters.map((each) => measureFilter(each, saved, known));
  for (const { segment } of conditions) {
    if (segment !== undefined) nested.push(sizeOfSegment(segment, saved, known));
  }
  return {
    levels: 1 + Math.max(0, ...nested.map(({ levels }) => levels)),
    operands: nested.reduce((sum, { operands }) => sum + operands, conditions.length + filters.length),
  };
}

function sizeOfSegment(slug: string, saved: SavedFilters, known: Map<string, FilterSize>): FilterSize {
  const before = known.get(slug);
  const filter = saved.get(slug);
  if (before !== undefined || filter === undefined) return before ?? { levels: 0, operands: 0 };
  // Stops the recursion on circular references.
  known.set(slug, { levels: 0, operands: 0 });
  const size = measureFilter(filter, saved, known);
  known.set(slug, size);
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
  saved: SavedFilters,
  slug: string | null,
  root = "filter",
): void {
  const wrong: Record<string, string> = {};
  const around = new Set(slug === null ? [] : [slug, ...findReferringSegments(slug, saved)]);
  for (const [path, segment] of namesIn(filter, root)) {
    if (!saved.has(segment)) wrong[path] = "must be the slug of a segment";
    else if (around.has(segment)) wrong[path] = "must not be a segment that refers to this one";
  }
  if (Object.keys(wrong).length > 0) throw validationFailed(wrong);
  assertWithinLimits(filter, saved, root);
}

/** Yields the segments that a filter names, each with its path. */
function* namesIn(filter: SegmentFilter, path: string): Generator<readonly [path: string, segment: string]> {
  const { conditions = [], filters = [] } = filter;
  for (const [at, { segment }] of conditions.entries())
    if (segment !== undefined) yield [`${path}.conditions.${at}.segment`, segment];
  for (const [at, nested] of filters.entries()) yield* namesIn(nested, `${path}.filters.${at}`);
}

/**
 * Returns the slugs of the segments that refer to the given segment, directly or through other segments, in the order of `saved`.
 */
export function findReferringSegments(slug: string, saved: SavedFilters): string[] {
  const named = Array.from(saved, ([outer, filter]) => [outer, segmentsIn(filter)] as const);
  const found = new Set([slug]);
  for (const inner of found) for (const [outer, names] of named) if (names.has(inner)) found.add(outer);
  return [...saved.keys()].filter((each) => each !== slug && found.has(each));
}

/**
 * Returns the distinct scopes needed for everything that a filter reads, both directly and through the segments it refers to, in
 * the order in which they are checked.
 */
export function scopesWithin(filter: SegmentFilter, saved: SavedFilters): readonly Scope[] {
  const scopes = new Set<Scope>();
  const seen = new Set<string>();
  const look = (looked: SegmentFilter): void => {
    for (const condition of listLeaves(looked)) {
      const { segment } = condition;
      const scope = scopeOfLeaf(findLeaf(condition));
      if (scope !== null) scopes.add(scope);
      if (segment === undefined || seen.has(segment)) continue;
      seen.add(segment);
      const nested = saved.get(segment);
      if (nested !== undefined) look(nested);
    }
  };
  look(filter);
  return [...scopes];
}
