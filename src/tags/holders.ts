import type { Step } from "../concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTag } from "../storage/tags.js";
import type { StoredUser } from "../storage/users.js";
import type { Tenant } from "../tenant/tenant.js";

/** A user who has a tag, or is getting it. */
export type Holder = Pick<StoredUser, "id" | "ordinal">;

/**
 * Assigns a tag to users (at most 1,000).
 * @returns the ordinals of the users who did not have it before.
 */
export function* giveTag(
  tenant: Tenant,
  tx: StorageTransaction,
  tag: StoredTag,
  users: readonly Holder[],
  createdAt: number,
): Step<ReadonlySet<number>> {
  const assignments = users.map(({ ordinal: userOrdinal }) => {
    return { id: tenant.newId("uta"), userOrdinal, tagOrdinal: tag.ordinal, createdAt };
  });
  const made = yield* tx.assignTags(tenant.organizationId, assignments);
  return new Set(made.map(({ userOrdinal }) => userOrdinal));
}
