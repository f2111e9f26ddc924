import { runStep, type Step } from "../base/concurrency/step.js";
import { createLoyaltyError, notFound, validationFailed } from "../base/errors.js";
import { type FirstPage, type ListPromise, StreamedList } from "../base/list-promise.js";
import { offsetOf, type TagQueryPage, tagQueryPageOf } from "../base/page.js";
import { parse, parseNew, withField } from "../base/parse.js";
import { toSlug } from "../base/values/slug.js";
import { type User, userOf } from "../customers/schema.js";
import { findTag, findUser, readInBatches, USER_BATCH_SIZE } from "../kernel/find.js";
import { type IdempotencyOptions, markNew } from "../kernel/idempotency/idempotent-call.js";
import { assertBelowLimit } from "../kernel/limits.js";
import { applyPatch } from "../kernel/patch.js";
import type { Change, ChangeWork, Tenant } from "../kernel/tenant.js";
import { UseCases } from "../kernel/use-cases.js";
import { evaluate, listSlugs } from "../segments/evaluate.js";
import { Bitmap } from "../storage/bitmap.js";
import { type ConflictingKey, StorageConflict } from "../storage/storage-adapter.js";
import type { TagSetReport } from "../storage/tags.js";
import { assignUsers, unassignUsers } from "./bulk-tagging.js";
import { insertTag } from "./insert-tag.js";
import { applyPendingMerges, finishRemovalsInBackground, removeTag } from "./removals.js";
import {
  type CreateTag,
  createTagSchema,
  type EnsureTag,
  ensureTagSchema,
  type MergeTag,
  mergeTagSchema,
  type TaggingResult,
  toUserTag,
  toUserTagAssignment,
  type UpdateTag,
  type UserSelection,
  type UserTag,
  type UserTagAssignment,
  updateTagSchema,
} from "./schema.js";
import { parseTagQuery, type TagQuery } from "./tag-filter-schema.js";

/** Manages tags, which are labels for users, and finds users by combinations of tags. */
export class Tags extends UseCases {
  /**
   * Creates a tag. Its slug is derived from the name and never changes. If two concurrent calls would create the same slug, only
   * one succeeds.
   * @throws {LoyaltyError} `user_tag_already_exists`, `too_many_user_tags`, `validation_failed` (including if the name yields no
   *   slug), or `access_denied` if the caller lacks `user_tag:write`.
   */
  async create(input: CreateTag & IdempotencyOptions): Promise<UserTag> {
    const { tenant } = this;
    const tag = parseNew(createTagSchema, input);
    return tenant.change(["tags.create", input], function* (change) {
      const { tx } = change;
      yield* assertBelowLimit(tx, tenant, "tags");
      const slug = toSlug(tag.name);
      const write = insertTag(change, { slug, ...tag });
      return toUserTag(yield* translateConflict("slug", "user_tag_already_exists", slug, write));
    });
  }

  /**
   * Returns the tag with the given slug, or creates it if it doesn't exist. An existing tag isn't changed. Concurrent calls create
   * only one tag, so a host can safely call this on every startup.
   * @param input the fields for a new tag. Default name: the slug.
   * @throws {LoyaltyError} `validation_failed`, `too_many_user_tags`, or `access_denied` if the caller lacks `user_tag:write` or
   *   `user_tag:read`.
   * @example
   * const vip = await acme.tags.ensure("vip", { name: "Regular guest" });
   */
  async ensure(slug: string, input: EnsureTag & IdempotencyOptions = {}): Promise<UserTag> {
    const { tenant } = this;
    const {
      slug: requestedSlug,
      name = requestedSlug,
      ...fields
    } = parseNew(ensureTagSchema, withField(input, "slug", slug));
    return tenant.change(["tags.ensure", slug, input], function* (change) {
      const { tx } = change;
      const tag = { slug: requestedSlug ?? toSlug(name ?? ""), name: name ?? "", ...fields };
      const existingTag = yield* tx.findTag(tag.slug);
      if (existingTag !== null) return toUserTag(existingTag);
      yield* assertBelowLimit(tx, tenant, "tags");
      return markNew(toUserTag(yield* insertTag(change, tag)));
    });
  }

  /**
   * Lists all tags, oldest first.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `user_tag:read`.
   */
  async list(): Promise<UserTag[]> {
    const { tenant } = this;
    return (await tenant.read((reader) => reader.listTags(), true)).map(toUserTag);
  }

  /**
   * Returns the tag with the given slug.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `user_tag:read`.
   */
  async get(slug: string): Promise<UserTag> {
    return toUserTag(await runStep(findTag(this.tenant.reader, this.tenant.organizationId, slug)));
  }

  /**
   * Changes only the given fields of a tag. `description: null` clears the description. A new name doesn't change the slug. If
   * nothing changes, `updatedAt` stays the same and no event is emitted.
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, or `access_denied` if the caller lacks `user_tag:write`.
   */
  async update(slug: string, input: UpdateTag & IdempotencyOptions): Promise<UserTag> {
    const { tenant } = this;
    const fields = parse(updateTagSchema, input);
    const { organizationId } = tenant;
    return tenant.change(["tags.update", slug, input], function* ({ tx, record }) {
      const before = yield* findTag(tx, organizationId, slug);
      const after = applyPatch(before, fields, tenant.now());
      if (after === before) return toUserTag(before);
      yield* tx.updateTag(after);
      const userTag = toUserTag(after);
      record("user_tag.updated", userTag);
      return userTag;
    });
  }

  /**
   * Deletes a tag. The tag disappears immediately and is then unassigned from its users in batches. An event is emitted for each
   * user and then one for the tag, even if this process ends before all batches are done.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `user_tag:write`.
   */
  async delete(slug: string, options: IdempotencyOptions = {}): Promise<void> {
    const { tenant } = this;
    const work: ChangeWork<void> = function* (change) {
      const { tx } = change;
      const tag = yield* findTag(tx, tenant.organizationId, slug);
      yield* removeTag(change, tag, null);
    };
    await tenant.change(["tags.delete", slug, options], work);
    finishRemovalsInBackground(tenant);
  }

  /**
   * Merges a tag into the tag with the slug `into`, and deletes the merged tag. The merged tag's users have the target tag
   * immediately. Events are emitted in batches, as with {@link delete}.
   * @returns how many users were assigned the target tag, and how many already had it.
   * @throws {LoyaltyError} `resource_not_found` for either tag, `validation_failed` on `into` (including if it is the merged tag
   *   itself), or `access_denied` if the caller lacks `user_tag:write`.
   */
  async merge(slug: string, input: MergeTag & IdempotencyOptions): Promise<TaggingResult> {
    return mergeTags(this.tenant, slug, input);
  }

  /**
   * Assigns a tag to a user. If two calls assign the same tag at the same time, exactly one succeeds.
   * @param userId the user's service ID or external ID.
   * @throws {LoyaltyError} `resource_not_found` for the user or the tag, `user_tag_already_assigned`, or `access_denied` if the
   *   caller lacks `user_tag:write`.
   */
  async assign(userId: string, slug: string, options: IdempotencyOptions = {}): Promise<UserTagAssignment> {
    const { tenant } = this;
    return tenant.change(["tags.assign", userId, slug, options], (change) => assignTag(change, userId, slug));
  }

  /**
   * Removes a tag from a user.
   * @param userId the user's service ID or external ID.
   * @throws {LoyaltyError} `resource_not_found` if the user or the tag doesn't exist or the user doesn't have the tag, or
   *   `access_denied` if the caller lacks `user_tag:write`.
   */
  async unassign(userId: string, slug: string, options: IdempotencyOptions = {}): Promise<void> {
    const { tenant } = this;
    await tenant.change(["tags.unassign", userId, slug, options], (change) =>
      unassignTag(change, userId, slug),
    );
  }

  /**
   * Assigns a tag to many users. Up to 2,500 users are changed in one transaction. Larger selections are changed in batches of 500.
   * If a batch fails, earlier batches are kept, and repeating the call finishes the rest.
   * @returns how many users were assigned the tag, and how many already had it.
   * @throws {LoyaltyError} `resource_not_found` for the tag or any of the users, `validation_failed`, or `access_denied` if the
   *   caller lacks `user_tag:write`.
   */
  assignUsers(slug: string, selection: UserSelection & IdempotencyOptions): Promise<TaggingResult> {
    return assignUsers(this.tenant, slug, selection);
  }

  /**
   * Removes a tag from many users, in the same way as {@link assignUsers}.
   * @returns how many users had the tag removed, and how many didn't have it.
   * @throws {LoyaltyError} the same errors as {@link assignUsers}.
   */
  unassignUsers(slug: string, selection: UserSelection & IdempotencyOptions): Promise<TaggingResult> {
    return unassignUsers(this.tenant, slug, selection);
  }

  /**
   * Returns a user's tags, oldest assignment first.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `user_tag:read`.
   */
  async ofUser(userId: string): Promise<UserTag[]> {
    const { tenant } = this;
    const { organizationId } = tenant;
    return tenant.read(function* (reader) {
      const user = yield* findUser(reader, organizationId, userId);
      yield* tenant.assertOwn(reader, user.id, "user", userId);
      return (yield* reader.tagsOfUser(user.ordinal)).map(toUserTag);
    });
  }

  /**
   * Lists the users who have a tag, oldest user first. Awaiting the list returns a page of the first 50 users. Iterating over it
   * reads all users in small batches. Users who are tagged, untagged, created, or deleted during the iteration might or might not
   * be included.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `user_tag:read`. Thrown when the list is
   *   awaited or the iteration begins.
   */
  users(slug: string): ListPromise<FirstPage<User>, User> {
    return new StreamedList(() => readUsersOfTag(this.tenant, slug));
  }

  /**
   * Returns a page of the users who match a filter, oldest first. The totals are exact and come from the same snapshot.
   * @throws {LoyaltyError} `validation_failed` (including if the filter is empty, has more than 32 levels, or has more than 1,000
   *   operands in total), or `access_denied` if the caller lacks `user_tag:read`.
   */
  async query(input: TagQuery): Promise<TagQueryPage<User>> {
    const { filter, ...request } = parseTagQuery(input);
    return this.tenant.read(function* (reader) {
      const sets = yield* reader.readTagSets(listSlugs(filter));
      const { total, ordinals } = yield* evaluate(filter, sets, offsetOf(request), request.size);
      const users = yield* reader.usersByOrdinal(ordinals);
      return tagQueryPageOf(users.map(userOf), total, request);
    });
  }

  /**
   * Checks the stored tag sets against all of the organization's users and assignments.
   * @returns the number of sets compared, and the sets that are wrong.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `user_tag:read`.
   */
  async verifyIndex(): Promise<TagSetReport> {
    return this.tenant.read((reader) => reader.verifyTagSets(), true);
  }

  /**
   * Rebuilds the stored tag sets from the users and assignments.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `user_tag:write`.
   */
  async rebuildIndex(): Promise<void> {
    const { storage, organizationId } = this.tenant;
    await storage.transaction(organizationId, (tx) => tx.rebuildTagSets(), { isLarge: true });
  }
}

function* translateConflict<T>(
  key: ConflictingKey,
  code: "user_tag_already_exists" | "user_tag_already_assigned",
  slug: string,
  write: Step<T>,
): Step<T> {
  try {
    return yield* write;
  } catch (error) {
    if (!(error instanceof StorageConflict) || error.key !== key) throw error;
    throw createLoyaltyError(code, [slug], { cause: error });
  }
}

/** @throws {LoyaltyError} `resource_not_found`, before the first user. */
async function* readUsersOfTag(tenant: Tenant, slug: string): AsyncGenerator<User, void, undefined> {
  const { reader, organizationId } = tenant;
  const tag = await runStep(findTag(reader, organizationId, slug));
  yield* readInBatches((after) =>
    tenant.read((reader) => reader.usersOfTag(tag.ordinal, after, USER_BATCH_SIZE), true),
  );
}

/**
 * Assigns a tag to a user in the caller's transaction.
 * @throws {LoyaltyError} `resource_not_found` for the user or the tag, or `user_tag_already_assigned`.
 */
export function* assignTag(change: Change, userId: string, slug: string): Step<UserTagAssignment> {
  const { tenant, tx, record } = change;
  const { organizationId } = tenant;
  const user = yield* findUser(tx, organizationId, userId);
  const tag = yield* findTag(tx, organizationId, slug);
  yield* applyPendingMerges(change, tag, [user]);
  const id = tenant.newId("uta");
  const assignment = { id, userOrdinal: user.ordinal, tagOrdinal: tag.ordinal, createdAt: tenant.now() };
  const write = tx.assignTag(assignment);
  yield* translateConflict("assignment", "user_tag_already_assigned", slug, write);
  const result = toUserTagAssignment(assignment, tag);
  record("user_tag.assigned", { userId: user.id, userTag: result.userTag });
  return result;
}

/**
 * Removes a tag from a user in the caller's transaction.
 * @throws {LoyaltyError} `resource_not_found` if the user or the tag doesn't exist, or if the user doesn't have the tag.
 */
export function* unassignTag(change: Change, userId: string, slug: string): Step<void> {
  const { tenant, tx, record } = change;
  const { organizationId } = tenant;
  const user = yield* findUser(tx, organizationId, userId);
  const tag = yield* findTag(tx, organizationId, slug);
  yield* applyPendingMerges(change, tag, [user]);
  if (!(yield* tx.unassignTag(user.ordinal, tag.ordinal)))
    throw notFound("UserTagAssignment", slug, organizationId);
  record("user_tag.unassigned", { userId: user.id, userTag: toUserTag(tag) });
}

/** Merges a tag into a target tag by assigning the target tag to the tag's users and then deleting the tag. */
async function mergeTags(
  tenant: Tenant,
  slug: string,
  input: MergeTag & IdempotencyOptions,
): Promise<TaggingResult> {
  const { organizationId } = tenant;
  const { into } = parse(mergeTagSchema, input);
  if (into === slug) throw validationFailed({ into: "must be a different tag" });
  const work: ChangeWork<TaggingResult> = function* (change) {
    const { tx } = change;
    const from = yield* findTag(tx, organizationId, slug);
    const target = yield* findTag(tx, organizationId, into);
    const { tags } = yield* tx.readTagSets([slug, into]);
    const [sourceUsers, targetUsers] = [tags.get(slug) ?? Bitmap.empty, tags.get(into) ?? Bitmap.empty];
    const result = {
      changed: sourceUsers.without(targetUsers).count(),
      unchanged: sourceUsers.and(targetUsers).count(),
    };
    const data = { userTag: toUserTag(from), into: toUserTag(target), ...result };
    yield* removeTag(change, from, { target, data });
    return result;
  };
  const result = await tenant.change(["tags.merge", slug, input], work);
  finishRemovalsInBackground(tenant);
  return result;
}
