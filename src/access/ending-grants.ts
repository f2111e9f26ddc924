import type { Step } from "../concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

/** How many of them an entry of the audit trail names. */
const NAMED_GRANTS = 100;

/** What the audit trail tells of the grants that end with a token. The token is kept from being revoked by others. */
export function* endingGrants(
  tx: StorageTransaction,
  organizationId: string,
  tokenId: string,
): Step<{ endedGrants: number; endedGrantIds: string[] }> {
  const grants = yield* tx.listGrants(organizationId);
  const ids = grants.filter((grant) => grant.tokenId === tokenId).map(({ id }) => id);
  return { endedGrants: ids.length, endedGrantIds: ids.slice(0, NAMED_GRANTS) };
}
