import type { Step } from "../concurrency/step.js";
import { accessDenied, validationFailed } from "../errors.js";
import { isScope } from "../scopes.js";
import type { StoredApiToken } from "../storage/api-tokens.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { Tenant } from "../tenant/tenant.js";
import { Networks } from "../values/networks.js";

/** The API token by which the caller acts, at the API or signed in at the console; `null` for another caller. */
export function* findCallerToken(
  tx: StorageTransaction,
  { organizationId, actor }: Tenant,
): Step<StoredApiToken | null> {
  const { kind, id } = actor.visible;
  if ((kind !== "token" && kind !== "console") || id === null) return null;
  return yield* tx.findApiToken(organizationId, id);
}

/**
 * A caller whose token is limited to some addresses can't get a secret for others.
 * @param addresses `null` for all.
 * @throws {LoyaltyError} `validation_failed` if the secret could be used where the token can't.
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

/** An entry of the audit trail names at most this many ended grants. */
const NAMED_GRANTS = 100;

/** Returns the audit details of the grants that end with a token. */
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
 * @throws {LoyaltyError} `access_denied` if the target has a scope that the caller lacks, so that callers can't end or take over
 *   more than they have.
 */
export function assertScopesWithin(tenant: Tenant, { scopes }: { readonly scopes: readonly string[] }): void {
  for (const scope of scopes) if (isScope(scope) && !tenant.hasScope(scope)) throw accessDenied(scope);
}
