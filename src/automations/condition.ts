import type { Step } from "../base/concurrency/step.js";
import { isLoyaltyError } from "../base/errors.js";
import type { Scope } from "../base/scopes.js";
import { compileMembershipTest } from "../segments/customer-membership.js";
import { listFactKinds, readCustomerFacts } from "../segments/facts.js";
import type { SegmentFilter } from "../segments/filter-schema.js";
import { type FilterQuery, plannedFor, readPlanState } from "../segments/matching.js";
import type { Plan } from "../segments/plan.js";
import { savedFiltersFor, scopesWithin, segmentsIn } from "../segments/saved-filters.js";
import type { StoredAutomation } from "../storage/automations.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { parseFilter, parseTrigger } from "./schema.js";

/**
 * Returns the IDs of the given users who match a filter at a given time. A `null` filter matches all of them.
 * @param users at most 1,000 users.
 */
export function* findMatchingUsers(
  reader: StorageReader,
  { filter, ...query }: Omit<FilterQuery, "filter"> & { readonly filter: SegmentFilter | null },
  users: readonly StoredUser[],
): Step<ReadonlySet<string>> {
  if (filter === null || users.length === 0) return new Set(users.map(({ id }) => id));
  const plan = yield* planCondition(reader, { filter, ...query });
  if (plan === null) return new Set();
  const isMember = compileMembershipTest(plan);
  const matchedIds = new Set<string>();
  for (const facts of yield* readCustomerFacts(reader, users, listFactKinds([plan]), query.at))
    if (isMember(facts)) matchedIds.add(facts.user.id);
  return matchedIds;
}

/**
 * Returns the scopes needed for everything that a filter reads, both directly and through the current filters of the segments that
 * it refers to. A `null` filter needs no scopes.
 */
export function* findConditionScopes(
  reader: StorageReader,
  filter: SegmentFilter | null,
): Step<readonly Scope[]> {
  if (filter === null) return [];
  return scopesWithin(filter, yield* savedFiltersFor(reader, filter));
}

/**
 * Returns the scopes needed for everything that an automation reads about customers through its condition and through the segment
 * that triggers it. Segments are read with their current filters.
 */
export function* findReadScopes(
  reader: StorageReader,
  { on, ...content }: Pick<StoredAutomation, "if"> & Partial<Pick<StoredAutomation, "on">>,
): Step<readonly Scope[]> {
  const scopes = yield* findConditionScopes(reader, parseFilter(content));
  const trigger = on === undefined ? null : parseTrigger({ on });
  if (trigger === null || !("segmentEntered" in trigger)) return scopes;
  const enteredFilter: SegmentFilter = { operator: "AND", conditions: [{ segment: trigger.segmentEntered }] };
  return [...scopes, ...(yield* findConditionScopes(reader, enteredFilter))];
}

/**
 * Plans a filter. Returns `null` if the filter must match no user: either it has become too large with the segments it names, or
 * one of those segments was deleted while runs were waiting, in which case NOT of that segment would match everyone.
 */
function* planCondition(reader: StorageReader, filterQuery: FilterQuery): Step<Plan | null> {
  const { filter } = filterQuery;
  try {
    const state = yield* readPlanState(reader, filterQuery);
    for (const slug of segmentsIn(filter)) if (!state.segments.has(slug)) return null;
    return yield* plannedFor(filter, state);
  } catch (error) {
    if (isLoyaltyError(error, "validation_failed")) return null;
    throw error;
  }
}
