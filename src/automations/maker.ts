import type { Step } from "../concurrency/step.js";
import type { Scope } from "../scopes.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/**
 * Returns whether who made an automation may still do what it does: a token or grant that is revoked, has expired, or lacks a scope may
 * not.
 * @param makerId `null` for the host's own code, which may do everything.
 */
export function* mayStillDo(
  reader: StorageReader,
  organizationId: string,
  makerId: string | null,
  scopes: readonly Scope[],
  now: number,
): Step<boolean> {
  if (makerId === null) return true;
  const granted = yield* scopesOf(reader, organizationId, makerId, now);
  return scopes.every((scope) => granted.includes(scope));
}

function* scopesOf(
  reader: StorageReader,
  organizationId: string,
  makerId: string,
  now: number,
): Step<readonly string[]> {
  const token = yield* reader.findApiToken(organizationId, makerId);
  if (token !== null) return token.expiresAt !== null && token.expiresAt <= now ? [] : token.scopes;
  const grants = yield* reader.listGrants(organizationId);
  return grants.find(({ id }) => id === makerId)?.scopes ?? [];
}
