import type { Step } from "../base/concurrency/step.js";
import { validationFailed } from "../base/errors.js";
import type { Scope } from "../base/scopes.js";
import { findUsers } from "../kernel/find.js";
import type { Tenant } from "../kernel/tenant.js";
import { readableFilter, scopesOfLeaves } from "../segments/filter-schema.js";
import { assertReferences, savedFiltersFor } from "../segments/saved-filters.js";
import { resolveFilter, scopesForSelector, type UserSelector } from "../segments/user-selector.js";
import { splitIntoBatches } from "../storage/batches.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { readChild } from "../tags/tag-filter-schema.js";

/** A message's audience as it appears in the input, before validation. */
export interface AudienceInput extends UserSelector {
  readonly all?: boolean | undefined;
  readonly userIds?: readonly string[] | undefined;
}

/**
 * Returns the scopes that a caller needs to select an audience by its filter or its IDs, not counting the scopes for segments that
 * the filter names.
 */
function scopesOfAudience({
  filter,
  segment,
  userIds,
}: {
  readonly [Key in keyof AudienceInput]: Key extends "filter" ? AudienceInput[Key] : unknown;
}): readonly Scope[] {
  if (filter !== undefined) return scopesOfLeaves(filter);
  if (segment !== undefined) return ["segment:read"];
  return userIds === undefined ? [] : ["user:read"];
}

/**
 * Returns the scopes that a message's audience requires. The input hasn't been validated yet, so malformed parts are ignored here
 * and rejected later.
 */
export function scopesOfMessage(input: unknown): readonly Scope[] {
  const audience = readChild(input, "audience");
  const filter = readableFilter(readChild(audience, "filter")) ?? undefined;
  return scopesOfAudience({
    filter,
    segment: readChild(audience, "segment"),
    userIds: readChild(audience, "userIds"),
  });
}

/**
 * Checks that a caller is allowed to select an audience and to read the data that the audience's filter uses, either directly or
 * through the segments that it refers to.
 * @throws {LoyaltyError} `access_denied`, naming the first scope that the caller lacks.
 */
export function* assertAudienceAllowed(
  tenant: Tenant,
  reader: StorageReader,
  audience: AudienceInput,
): Step<void> {
  tenant.require(scopesOfAudience(audience));
  tenant.require(yield* scopesForSelector(reader, tenant.organizationId, audience));
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
    const saved = yield* savedFiltersFor(reader, organizationId, chosen);
    if (segment !== undefined && !saved.has(segment))
      throw validationFailed({ "audience.segment": "must be the slug of a segment" });
    assertReferences(chosen, saved, null, "audience.filter");
    return JSON.stringify(segment === undefined ? { filter } : { segment });
  }
  if (userIds === undefined) return JSON.stringify({ all: true });
  const ids = new Set<string>();
  const asked = [...new Set(userIds)];
  for (const some of splitIntoBatches(asked))
    for (const { id } of yield* findUsers(reader, organizationId, some)) ids.add(id);
  return JSON.stringify({ userIds: [...ids] });
}
