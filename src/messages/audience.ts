import type { Step } from "../base/concurrency/step.js";
import { validationFailed } from "../base/errors.js";
import { findUsers } from "../kernel/find.js";
import type { Tenant } from "../kernel/tenant.js";
import { findAllMatches } from "../segments/matching.js";
import { hasBehavior } from "../segments/plan.js";
import {
  assertReferences,
  resolveFilter,
  savedFiltersFor,
  scopesForSelector,
  type UserSelector,
} from "../segments/saved-filters.js";
import { splitIntoBatches } from "../storage/batches.js";
import { Bitmap } from "../storage/bitmap.js";
import type { StoredMessage } from "../storage/messages.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { decodeAudience, listAudienceScopes } from "./schema.js";

/** A message's audience as it appears in the input, before validation. */
interface AudienceInput extends UserSelector {
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
  tenant.require(listAudienceScopes(audience));
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
  const userFilter = resolveFilter(audience);
  if (userFilter !== null) {
    const savedFilters = yield* savedFiltersFor(reader, userFilter);
    if (segment !== undefined && !savedFilters.has(segment))
      throw validationFailed({ "audience.segment": "must be the slug of a segment" });
    assertReferences(userFilter, savedFilters, null, "audience.filter");
    return JSON.stringify(segment === undefined ? { filter } : { segment });
  }
  if (userIds === undefined) return JSON.stringify({ all: true });
  const ids = new Set<string>();
  const uniqueIds = [...new Set(userIds)];
  for (const batch of splitIntoBatches(uniqueIds))
    for (const { id } of yield* findUsers(reader, organizationId, batch)) ids.add(id);
  return JSON.stringify({ userIds: [...ids] });
}

/**
 * Returns whether evaluating an audience might take too long to do within a transaction, because other changes would be blocked in
 * the meantime.
 */
export function isCostlyAudience(message: Pick<StoredMessage, "audience">): boolean {
  const audience: AudienceInput = decodeAudience(message);
  const filter = resolveFilter(audience);
  return filter !== null && hasBehavior(filter);
}

/** Returns the ordinals of the customers in a message's audience at the time `at`. */
export function* readAudience(
  reader: StorageReader,
  organizationId: string,
  message: Pick<StoredMessage, "audience">,
  at: number,
): Step<Bitmap> {
  const audience: AudienceInput = decodeAudience(message);
  const filter = resolveFilter(audience);
  if (filter !== null) return yield* findAllMatches(reader, { organizationId, filter, at });
  const { userIds } = audience;
  if (userIds === undefined) return (yield* reader.readTagSets([])).users;
  const ordinals: number[] = [];
  for (const batch of splitIntoBatches(userIds))
    for (const { ordinal } of yield* reader.usersById(batch)) ordinals.push(ordinal);
  return Bitmap.of(ordinals);
}
