import { isYieldDue, yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import { zoneOf } from "../settings/schema.js";
import type { Bitmap } from "../storage/bitmap.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { TagSets } from "../storage/tags.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { TagFilter } from "../tags/tag-filter-schema.js";
import { evaluate, evaluateToSet, type Matches } from "./evaluate.js";
import type { SegmentFilter } from "./filter-schema.js";
import { hasBehavior, type Plan, type PlanState, planned, templatesIn } from "./plan.js";
import { assertWithinLimits, filtersWithin, type SavedFilters, savedFiltersFor } from "./saved-filters.js";

/** Maximum number of templates to look up one by one; if a filter names more, all templates are read. */
const FEW_TEMPLATES = 5;

/** Number of tests per read; other work can run between reads. */
const TEST_BATCH = 250;

/** A filter, and the time at which it is evaluated. */
export interface FilterQuery {
  readonly organizationId: string;
  readonly filter: SegmentFilter;
  readonly at: number;
  /** Whether the filter is evaluated for the whole day that begins at `at`. Default: `false`. */
  readonly isWholeDay?: boolean;
  /** The filters of the saved segments that the filter might refer to, if they have already been read. */
  readonly saved?: SavedFilters;
}

/**
 * Finds the users who match a validated filter as of a given time. If the filter refers to a segment that doesn't exist, that
 * segment counts as empty.
 * @param reader a reader that reads from a single snapshot.
 * @param offset the number of matches to skip.
 * @param limit the maximum number of ordinals to return.
 * @throws {LoyaltyError} `validation_failed` on `filter` if it is too large when combined with the segments it refers to.
 */
export function* findMatches(
  reader: StorageReader,
  filterQuery: FilterQuery,
  offset: number,
  limit: number,
): Step<Matches> {
  const { filter, sets } = yield* readSets(reader, filterQuery);
  return yield* evaluate(filter, sets, offset, limit);
}

/** Like {@link findMatches}, but returns all users who match, as a bitmap. */
export function* findAllMatches(reader: StorageReader, filterQuery: FilterQuery): Step<Bitmap> {
  const { filter, sets } = yield* readSets(reader, filterQuery);
  return yield* evaluateToSet(filter, sets);
}

/** Reads the data that a filter's plan depends on, and plans the filter, including the segments it refers to. */
export function* readPlan(reader: StorageReader, filterQuery: FilterQuery): Step<Plan> {
  return yield* plannedFor(filterQuery.filter, yield* readPlanState(reader, filterQuery));
}

/** Plans a filter using state that has already been read. */
export function plannedFor(filter: SegmentFilter, state: Required<PlanState>): Step<Plan> {
  return planned(filter, filtersWithin(filter, state.segments), state);
}

/**
 * Reads the state needed to plan a filter, including the segments it refers to.
 * @throws {LoyaltyError} `validation_failed` on `filter` if it is too large when combined with those segments.
 */
export function* readPlanState(
  reader: StorageReader,
  { filter, at, isWholeDay = false, saved }: FilterQuery,
): Step<Required<PlanState>> {
  const segments = saved ?? (yield* savedFiltersFor(reader, filter));
  assertWithinLimits(filter, segments);
  const templateIds = new Set(
    filtersWithin(filter, segments).flatMap((nestedFilter) => [...templatesIn(nestedFilter)]),
  );
  const templates = yield* readTemplates(reader, templateIds);
  const timeZone = zoneOf(hasBehavior(filter) ? yield* reader.findSettings() : null);
  return { at, isWholeDay, timeZone, templates, segments };
}

function* readSets(
  reader: StorageReader,
  filterQuery: FilterQuery,
): Step<{ readonly filter: TagFilter; readonly sets: TagSets }> {
  const plan = yield* readPlan(reader, filterQuery);
  const { users, tags } = yield* reader.readTagSets([...plan.tags.values()]);
  const tests = [...plan.tests.values()];
  const testSets: Bitmap[] = [];
  for (let at = 0; at < tests.length; at += TEST_BATCH) {
    if (isYieldDue()) yield* yieldIfDue();
    testSets.push(...(yield* reader.matchBehavior(tests.slice(at, at + TEST_BATCH))));
  }
  const sets = new Map([...plan.tags].flatMap(([name, slug]) => toEntries(name, tags.get(slug))));
  for (const [index, name] of [...plan.tests.keys()].entries())
    for (const [, set] of toEntries(name, testSets[index])) sets.set(name, set);
  return { filter: plan.filter, sets: { users, tags: sets } };
}

function toEntries<Set>(name: string, set: Set | undefined): (readonly [string, Set])[] {
  return set === undefined ? [] : [[name, set]];
}

/** Returns the templates with these IDs that exist. */
function* readTemplates(
  reader: StorageReader,
  ids: ReadonlySet<string>,
): Step<ReadonlyMap<string, StoredTemplate>> {
  const templates = new Map<string, StoredTemplate>();
  if (ids.size > FEW_TEMPLATES) {
    for (const template of yield* reader.listTemplates()) templates.set(template.id, template);
    return templates;
  }
  for (const id of ids) {
    const template = yield* reader.findTemplate(id);
    if (template !== null) templates.set(id, template);
  }
  return templates;
}
