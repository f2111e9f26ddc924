import type { Step } from "../concurrency/step.js";
import { readableFilter, type SegmentFilter, scopesOfLeaves } from "../resources/segment-filter.js";
import { childOf } from "../resources/tag-filter.js";
import type { Scope } from "../scopes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { findUsers } from "../tenant/find.js";

/** Storage takes at most this many ids at a time. */
const MOST_IDS = 1_000;

/** An audience as it is asked for. */
export interface AskedAudience {
  readonly all?: boolean | undefined;
  readonly filter?: SegmentFilter | undefined;
  readonly userIds?: readonly string[] | undefined;
}

/** The scopes that a caller needs to choose an audience: those of what its filter reads, or of the users that it names. */
export function scopesOfAudience({
  filter,
  userIds,
}: Omit<AskedAudience, "userIds"> & { readonly userIds?: unknown }): readonly Scope[] {
  if (filter !== undefined) return scopesOfLeaves(filter);
  return userIds === undefined ? [] : ["user:read"];
}

/** The scopes that a message needs for the audience that it is given, which may be anything: what can't be read is refused later. */
export function scopesOfMessage(input: unknown): readonly Scope[] {
  const audience = childOf(input, "audience");
  const filter = readableFilter(childOf(audience, "filter"));
  return scopesOfAudience({ userIds: childOf(audience, "userIds"), ...(filter !== null && { filter }) });
}

/**
 * An audience as it is kept: users by their service ids, each once.
 * @throws {LoyaltyError} `resource_not_found` when an id is nobody's.
 */
export function* keptAudience(
  reader: StorageReader,
  organizationId: string,
  { filter, userIds }: AskedAudience,
): Step<string> {
  if (filter !== undefined) return JSON.stringify({ filter });
  if (userIds === undefined) return JSON.stringify({ all: true });
  const ids = new Set<string>();
  const asked = [...new Set(userIds)];
  for (let at = 0; at < asked.length; at += MOST_IDS) {
    const users = yield* findUsers(reader, organizationId, asked.slice(at, at + MOST_IDS));
    for (const { id } of users) ids.add(id);
  }
  return JSON.stringify({ userIds: [...ids] });
}
