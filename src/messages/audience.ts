import type { Step } from "../base/concurrency/step.js";
import { validationFailed } from "../base/errors.js";
import { findUsers } from "../kernel/find.js";
import type { Tenant } from "../kernel/tenant.js";
import { assertReferences, savedFiltersFor } from "../segments/saved-filters.js";
import { resolveFilter, scopesForSelector, type UserSelector } from "../segments/user-selector.js";
import { splitIntoBatches } from "../storage/batches.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { scopesOfAudience } from "./schema.js";

/** A message's audience as it appears in the input, before validation. */
export interface AudienceInput extends UserSelector {
  readonly all?: boolean | undefined;
  readonly userIds?: readonly string[] | undefined;
}

/**
 * Checks that a caller is allowed to select an audience and to read the data used by its filter, either directly or through the
 * segments that the filter refers to.
 * @throws {LoyaltyError} `access_denied`, naming the first scope that the caller lacks.
 */
export function* assertAudienceAllowed(
  tenant: Tenant,
  reader: StorageReader,
  audience: AudienceInput,
): Step<void> {
  tenant.require(scopesOfAudience(audience));
  tenant.require(yield* scopesForSelector(reader, audience));
}

/**
 * Converts an audience to its stored form. Users are listed by service ID, without duplicates.
 * @throws {LoyaltyError} `access_denied` in the same cases as {@link assertAudienceAllowed}, `validation_failed` for each missing
 *   segment, or `resource_not_found` for an unknown user ID.
 */
export function* encodeAudience(
  tenant: Tenant,
  reader: StorageReader,
  audience: AudienceInput,
): Step<string> {
  const { organizationId } = tenant;
  const { filter, segment, userIds } = audience;
  yield* assertAudienceAllowed(tenant, reader, audience);
  const chosen = resolveFilter(audience);
  if (chosen !== null) {
    const savedFilters = yield* savedFiltersFor(reader, chosen);
    if (segment !== undefined && !savedFilters.has(segment))
      throw validationFailed({ "audience.segment": "must be the slug of a segment" });
    assertReferences(chosen, savedFilters, null, "audience.filter");
    return JSON.stringify(segment === undefined ? { filter } : { segment });
  }
  if (userIds === undefined) return JSON.stringify({ all: true });
  const ids = new Set<string>();
  const uniqueIds = [...new Set(userIds)];
  for (const batch of splitIntoBatches(uniqueIds))
    for (const { id } of yield* findUsers(reader, organizationId, batch)) ids.add(id);
  return JSON.stringify({ userIds: [...ids] });
}
