import type { Step } from "../concurrency/step.js";
import type { StoredApiToken } from "../storage/api-tokens.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { Tenant } from "../tenant/tenant.js";

/** The API token by which the caller acts, at the API or signed in at the console; `null` for another caller. */
export function* makingToken(
  tx: StorageTransaction,
  { organizationId, actor }: Tenant,
): Step<StoredApiToken | null> {
  const { kind, id } = actor.told;
  if ((kind !== "token" && kind !== "console") || id === null) return null;
  return yield* tx.findApiToken(organizationId, id);
}
