import type { Step } from "../concurrency/step.js";
import { notFound } from "../errors.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredTag } from "../storage/tags.js";
import type { StoredUser } from "../storage/users.js";
import { isStorable } from "../values/text.js";

/**
 * Finds a user by service id or external id. An external id never has the form of a service id, so the order
 * of the two looks can't matter.
 * @throws {LoyaltyError} `resource_not_found`.
 */
export function* findUser(reader: StorageReader, organizationId: string, userId: string): Step<StoredUser> {
  if (!isStorable(userId)) throw notFound();
  const user =
    (yield* reader.findUser(organizationId, userId)) ??
    (yield* reader.findUserByExternalId(organizationId, userId));
  if (user === null) throw notFound();
  return user;
}

/** Finds a tag by its slug. @throws {LoyaltyError} `resource_not_found`. */
export function* findTag(reader: StorageReader, organizationId: string, slug: string): Step<StoredTag> {
  const tag = isStorable(slug) ? yield* reader.findTag(organizationId, slug) : null;
  if (tag === null) throw notFound();
  return tag;
}
