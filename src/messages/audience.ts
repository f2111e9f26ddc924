import type { Step } from "../concurrency/step.js";
import { invalid } from "../errors.js";
import { readableFilter, scopesOfLeaves } from "../resources/segment-filter.js";
import { childOf } from "../resources/tag-filter.js";
import type { Scope } from "../scopes.js";
import { type Chosen, chosenFilter, scopesToChoose } from "../segments/chosen.js";
import { assertNamed, savedFiltersFor } from "../segments/saved-filters.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { findUsers } from "../tenant/find.js";
import type { Tenant } from "../tenant/tenant.js";

/** Storage takes at most this many ids at a time. */
const MOST_IDS = 1_000;

/** An audience as it is asked for. */
export interface AskedAudience extends Chosen {
  readonly all?: boolean | undefined;
  readonly userIds?: readonly string[] | undefined;
}

/** The scopes that a caller needs to choose an audience, as far as it says itself: those of what its filter reads, or of what it names. */
function scopesOfAudience({
  filter,
  segment,
  userIds,
}: {
  readonly [Key in keyof AskedAudience]: Key extends "filter" ? AskedAudience[Key] : unknown;
}): readonly Scope[] {
  if (filter !== undefined) return scopesOfLeaves(filter);
  if (segment !== undefined) return ["segment:read"];
  return userIds === undefined ? [] : ["user:read"];
}

/** The scopes that a message needs for the audience that it is given, which may be anything: what can't be read is refused later. */
export function scopesOfMessage(input: unknown): readonly Scope[] {
  const audience = childOf(input, "audience");
  const filter = readableFilter(childOf(audience, "filter")) ?? undefined;
  return scopesOfAudience({
    filter,
    segment: childOf(audience, "segment"),
    userIds: childOf(audience, "userIds"),
  });
}

/**
 * Looks whether a caller may choose an audience, also by what the segments read that it names.
 * @throws {LoyaltyError} `access_denied` naming the first scope that the caller lacks.
 */
export function* requireAudience(tenant: Tenant, reader: StorageReader, audience: AskedAudience): Step<void> {
  tenant.require(scopesOfAudience(audience));
  tenant.require(yield* scopesToChoose(reader, tenant.organizationId, audience));
}

/**
 * An audience as it is kept: users by their service ids, each once.
 * @throws {LoyaltyError} `access_denied` as {@link requireAudience}; `validation_failed` on each segment that it names and that is
 *   not there; `resource_not_found` when an id is nobody's.
 */
export function* keptAudience(tenant: Tenant, reader: StorageReader, audience: AskedAudience): Step<string> {
  const { organizationId } = tenant;
  const { filter, segment, userIds } = audience;
  yield* requireAudience(tenant, reader, audience);
  const chosen = chosenFilter(audience);
  if (chosen !== null) {
    const saved = yield* savedFiltersFor(reader, organizationId, chosen);
    if (segment !== undefined && !saved.has(segment))
      throw invalid({ "audience.segment": "must be the slug of a segment" });
    assertNamed(chosen, saved, null, "audience.filter");
    return JSON.stringify(segment === undefined ? { filter } : { segment });
  }
  if (userIds === undefined) return JSON.stringify({ all: true });
  const ids = new Set<string>();
  const asked = [...new Set(userIds)];
  for (let at = 0; at < asked.length; at += MOST_IDS) {
    const users = yield* findUsers(reader, organizationId, asked.slice(at, at + MOST_IDS));
    for (const { id } of users) ids.add(id);
  }
  return JSON.stringify({ userIds: [...ids] });
}
