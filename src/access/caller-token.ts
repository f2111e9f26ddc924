import type { Step } from "../base/concurrency/step.js";
import { accessDenied, validationFailed } from "../base/errors.js";
import { isScope } from "../base/scopes.js";
import { Networks } from "../base/values/networks.js";
import type { Tenant } from "../kernel/tenant.js";
import type { StoredApiToken } from "../storage/api-tokens.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

/** Returns the API token that the caller uses, either directly or through a console session, or `null` for any other caller. */
export function* findCallerToken(tx: StorageTransaction, { actor }: Tenant): Step<StoredApiToken | null> {
  const { kind, id } = actor.visible;
  if ((kind !== "token" && kind !== "console") || id === null) return null;
  return yield* tx.findApiToken(id);
}

/**
 * Checks that the caller's token allows every address from which a new secret would work. The check passes if the caller doesn't
 * use a token or the token allows all addresses.
 * @param addresses the addresses and networks from which the new secret can be used, or `null` for all addresses.
 * @throws {LoyaltyError} `validation_failed` if the secret would work from an address that the caller's token doesn't allow.
 */
export function assertAddressesWithin(
  creatorToken: StoredApiToken | null,
  addresses: readonly string[] | null,
): void {
  const allowed = creatorToken?.allowedAddresses ?? null;
  if (allowed === null) return;
  const networks = new Networks(allowed);
  if (addresses === null || addresses.some((network) => !networks.contains(network))) {
    throw validationFailed({ allowedAddresses: "must be scopes that the calling token has" });
  }
}

/** Maximum number of ended grants listed in one audit trail entry. */
const MAX_DESCRIBED_GRANTS = 100;

/**
 * Returns details for an audit entry: the number of grants that end when a token is revoked or rotated, and the IDs of up to 100 of
 * those grants.
 */
export function* describeEndedGrants(
  tx: StorageTransaction,
  tokenId: string,
): Step<{ endedGrants: number; endedGrantIds: string[] }> {
  const grants = yield* tx.listGrants();
  const ids = grants.filter((grant) => grant.tokenId === tokenId).map(({ id }) => id);
  return { endedGrants: ids.length, endedGrantIds: ids.slice(0, MAX_DESCRIBED_GRANTS) };
}

/**
 * Checks that the caller has all of the target's scopes. Callers must not revoke or take over more access than they have
 * themselves.
 * @throws {LoyaltyError} `access_denied` with the first scope that the caller lacks.
 */
export function assertScopesWithin(tenant: Tenant, { scopes }: { readonly scopes: readonly string[] }): void {
  for (const scope of scopes) if (isScope(scope) && !tenant.hasScope(scope)) throw accessDenied(scope);
}
