import type { Step } from "../base/concurrency/step.js";
import type { Scope } from "../base/scopes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { SegmentFilter } from "./filter-schema.js";
import { savedFiltersFor, scopesWithin } from "./saved-filters.js";

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
