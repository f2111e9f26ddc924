import type { Step } from "../concurrency/step.js";
import type { SegmentFilter } from "../resources/segment-filter.js";
import type { Scope } from "../scopes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { savedFiltersFor, scopesWithin } from "./saved-filters.js";

/** Users are chosen by a filter, by the slug of a saved segment, or otherwise. */
export interface UserSelector {
  readonly filter?: SegmentFilter | undefined;
  readonly segment?: string | undefined;
  readonly all?: unknown;
  readonly userIds?: unknown;
}

/** Returns the filter by which users are chosen; `null` if they are chosen otherwise. */
export function resolveFilter({ filter, segment }: UserSelector): SegmentFilter | null {
  if (segment !== undefined) return { operator: "AND", conditions: [{ segment }] };
  return filter ?? null;
}

/** The scope of segments, and the scopes of what the filter reads, also within the segments that it names. */
export function* scopesForSelector(
  reader: StorageReader,
  organizationId: string,
  chosen: UserSelector,
): Step<readonly Scope[]> {
  const filter = resolveFilter(chosen);
  if (filter === null) return [];
  const scopes = scopesWithin(filter, yield* savedFiltersFor(reader, organizationId, filter));
  return chosen.segment === undefined ? scopes : ["segment:read", ...scopes];
}
