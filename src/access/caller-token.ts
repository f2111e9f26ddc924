import type { Step } from "../concurrency/step.js";
import { accessDenied, validationFailed } from "../errors.js";
import { isScope } from "../scopes.js";
import type { StoredApiToken } from "../storage/api-tokens.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { Tenant } from "../tenant/tenant.js";
import { Networks } from "../values/networks.js";

/** Returns the API token that the caller is using, either at the API or for a console session; `null` for any other caller. */
export function* findCallerToken(
  tx: StorageTransaction,
  { organizationId, actor }: Tenant,
): Step<StoredApiToken | null> {
  const { kind, id } = actor.visible;
  if ((kind !== "token" && kind !== "console") || id === null) return null;
  return yield* tx.findApiToken(organizationId, id);
}

/**
 * Checks that a caller whose token is limited to certain addresses doesn't get a secret that works from other addresses.
 * @param addresses `null` for all addresses.
 * @throws {LoyaltyError} `validation_failed` if the secret would work from an address that the caller's token doesn't allow.
 */
export function assertAddressesWithin(
  maker: StoredApiToken | null,
  addresses: readonly string[] | null,
): void {
  const allowed = maker?.allowedAddresses ?? null;
  if (allowed === null) return;
  const networks = new Networks(allowed);
  if (addresses === null || addresses.some((each) => !networks.contains(each))) {
    throw validationFailed({ allowedAddresses: "must be scopes that the calling token has" });
  }
}

/** Maximum number of ended grants listed in one audit trail entry. */
const NAMED_GRANTS = 100;

/** Returns audit details for the grants that end when the token is revoked or rotated. */
export function* describeEndedGrants(
  tx: StorageTransaction,
  organizationId: string,
  tokenId: string,
): Step<{ endedGrants: number; endedGrantIds: string[] }> {
  const grants = yield* tx.listGrants(organizationId);
  const ids = grants.filter((grant) => grant.tokenId === tokenId).map(({ id }) => id);
  return { endedGrants: ids.length, endedGrantIds: ids.slice(0, NAMED_GRANTS) };
}

/**
 * @throws {LoyaltyError} `access_denied` if the target has a scope that the caller lacks, so that callers can't revoke or take over
 *   more than they have themselves.
 */
export function assertScopesWithin(tenant: Tenant, { scopes }: { readonly scopes: readonly string[] }): void {
  for (const scope of scopes) if (isScope(scope) && !tenant.hasScope(scope)) throw accessDenied(scope);
}
