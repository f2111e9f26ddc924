import type { Step } from "../base/concurrency/step.js";
import { findUser } from "../kernel/find.js";
import type { Tenant } from "../kernel/tenant.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { explainFilter } from "./explain.js";
import type { ExplainedFilter, SegmentExplanation } from "./explanation-schema.js";
import { listFactKinds, readCustomerFacts } from "./facts.js";
import { type FilterQuery, plannedFor, readPlanState } from "./matching.js";
import { savedFiltersFor, scopesWithin } from "./saved-filters.js";
import { filterOf } from "./schema.js";
import { findSegment } from "./segment-changes.js";

/** Explains why a user is or isn't in a segment now. Implements `Segments.explain`. */
export function explainSegment(tenant: Tenant, slug: string, userId: string): Promise<SegmentExplanation> {
  const { organizationId } = tenant;
  const at = tenant.now();
  return tenant.read(function* (reader) {
    const segment = yield* findSegment(reader, organizationId, slug);
    const filter = filterOf(segment);
    const savedFilters = yield* savedFiltersFor(reader, filter);
    tenant.require(scopesWithin(filter, savedFilters));
    const user = yield* findUser(reader, organizationId, userId);
    const tree = yield* explainForUser(reader, { organizationId, filter, at, saved: savedFilters }, user);
    const { id, name } = segment;
    return {
      object: "segment_explanation",
      segment: { id, slug: segment.slug, name },
      userId: user.id,
      matched: tree.matched,
      tree,
    };
  }, true);
}

/**
 * Explains why a user does or doesn't match a validated filter as of a given time.
 * @throws {LoyaltyError} `validation_failed` on `filter` if the filter is too large when combined with the segments it refers to.
 */
export function* explainForUser(
  reader: StorageReader,
  filterQuery: FilterQuery,
  user: StoredUser,
): Step<ExplainedFilter> {
  const { filter } = filterQuery;
  const state = yield* readPlanState(reader, filterQuery);
  const kinds = listFactKinds([yield* plannedFor(filter, state)]);
  for (const facts of yield* readCustomerFacts(reader, [user], kinds, filterQuery.at))
    return yield* explainFilter(filter, state, facts);
  throw new Error(`no facts were read for the user ${user.id}`);
}
