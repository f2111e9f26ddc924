import type { Step } from "../base/concurrency/step.js";
import type { Tenant } from "../kernel/tenant.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTag } from "../storage/tags.js";
import type { StoredUser } from "../storage/users.js";

/** A user who has a tag or is about to be assigned one. */
export type Holder = Pick<StoredUser, "id" | "ordinal">;

/**
 * Assigns a tag to up to 1,000 users, some of whom might already have it.
 * @returns the ordinals of the users who didn't already have the tag.
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
  const made = yield* tx.assignTags(assignments);
  return new Set(made.map(({ userOrdinal }) => userOrdinal));
}
