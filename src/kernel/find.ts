import { isYieldDue, waitForIterationEnd } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import { notFound } from "../base/errors.js";
import { toSlug } from "../base/values/slug.js";
import { isStorable } from "../base/values/text.js";
import { type User, userOf } from "../customers/schema.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { TagWithMerging } from "../storage/tags.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser } from "../storage/users.js";
import { linkUserToCall } from "./idempotency/idempotent-call.js";

/**
 * Finds a user by service ID or external ID. Returns `null` if there is none. An external ID never looks like a service ID, so at
 * most one of the two lookups can succeed.
 */
export function* findUserOrNull(reader: StorageReader, userId: string): Step<StoredUser | null> {
  if (!isStorable(userId)) return null;
  return (yield* reader.findUser(userId)) ?? (yield* reader.findUserByExternalId(userId));
}

/**
 * Finds a user by service ID or external ID.
 * @throws {LoyaltyError} `resource_not_found` if there is no such user.
 */
export function* findUser(reader: StorageReader, organizationId: string, userId: string): Step<StoredUser> {
  const user = yield* findUserOrNull(reader, userId);
  if (user === null) throw notFound("user", userId, organizationId);
  linkUserToCall(reader, user.id);
  return user;
}

/**
 * Finds up to 1,000 users in the same way as {@link findUser}. Returns them in the order of the given IDs.
 * @throws {LoyaltyError} `resource_not_found` if any of the IDs doesn't identify a user.
 */
export function* findUsers(
  reader: StorageReader,
  organizationId: string,
  userIds: readonly string[],
): Step<StoredUser[]> {
  const invalidId = userIds.find((id) => !isStorable(id));
  if (invalidId !== undefined) throw notFound("user", invalidId, organizationId);
  const byId = new Map<string, StoredUser>();
  for (const user of yield* reader.usersById(userIds)) byId.set(user.id, user);
  const externalIds = userIds.filter((id) => !byId.has(id));
  if (externalIds.length > 0) {
    for (const user of yield* reader.usersByExternalId(externalIds)) {
      if (user.externalId !== null) byId.set(user.externalId, user);
    }
  }
  return userIds.map((id) => {
    const user = byId.get(id);
    if (user === undefined) throw notFound("user", id, organizationId);
    return user;
  });
}

/**
 * Finds a tag by its slug.
 * @throws {LoyaltyError} `resource_not_found` if there is no such tag.
 */
export function* findTag(reader: StorageReader, organizationId: string, slug: string): Step<TagWithMerging> {
  const tag = isStorable(slug) ? yield* reader.findTag(slug) : null;
  if (tag === null) {
    const similarSlug = toSlug(slug);
    const hasSimilarTag =
      similarSlug !== slug && similarSlug !== "" && (yield* reader.findTag(similarSlug)) !== null;
    throw notFound("UserTag", slug, organizationId, hasSimilarTag ? similarSlug : undefined);
  }
  return tag;
}

/** Options that restrict a pass lookup to one template's passes. */
export interface PassLookup {
  readonly templateId?: string;
}

/**
 * Finds a pass by its ID. `templateId` restricts the lookup to one template's passes.
 * @throws {LoyaltyError} `resource_not_found` if the pass doesn't exist or wasn't issued from the given template.
 */
export function* findPass(
  reader: StorageReader,
  organizationId: string,
  passId: string,
  { templateId }: PassLookup = {},
): Step<StoredPass> {
  const pass = isStorable(passId) ? yield* reader.findPass(passId) : null;
  if (pass === null || (templateId !== undefined && pass.templateId !== templateId))
    throw notFound("wallet_pass", passId, organizationId);
  linkUserToCall(reader, pass.userId);
  return pass;
}

/**
 * Finds one of the organization's templates by its ID.
 * @throws {LoyaltyError} `resource_not_found` if there is no such template.
 */
export function* findTemplate(
  reader: StorageReader,
  organizationId: string,
  templateId: string,
): Step<StoredTemplate> {
  const template = isStorable(templateId) ? yield* reader.findTemplate(templateId) : null;
  if (template === null) throw notFound("template", templateId, organizationId);
  return template;
}

/** Number of users read per batch for lists that aren't paginated. Reading in batches limits memory use. */
export const USER_BATCH_SIZE = 500;

/** Reads users in batches. Each batch starts after the last ordinal in the previous one. */
export async function* readInBatches(
  readBatch: (after: number) => Promise<StoredUser[]>,
): AsyncGenerator<User, void, undefined> {
  for (let after = -1; ; ) {
    while (isYieldDue()) await waitForIterationEnd();
    const batch = await readBatch(after);
    const last = batch.at(-1);
    if (last === undefined) return;
    for (const user of batch) yield userOf(user);
    after = last.ordinal;
  }
}
