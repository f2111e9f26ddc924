import { run, type Step, wait } from "../concurrency/step.js";
import type { Once } from "../idempotency/idempotent-call.js";
import { userTagOf } from "../resources/representation.js";
import type { TagFilter } from "../resources/tag-filter.js";
import { parseSelection, type TaggingResult, type UserSelection } from "../resources/tagging.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTag } from "../storage/tags.js";
import type { StoredUser } from "../storage/users.js";
import { findTag, findUsers } from "../tenant/find.js";
import type { Tenant, Work } from "../tenant/tenant.js";
import { evaluate, slugsOf } from "./evaluate.js";

/** How many users are changed at a time: what is in memory, but for their numbers. */
const BATCH = 1_000;

/** From how many users on it takes a thread less time than it saves the host. */
const MANY_USERS = 5_000;

/** Changes one tag of some users, and answers who of them is changed. */
type Change = (
  tx: StorageTransaction,
  tag: StoredTag,
  users: readonly StoredUser[],
) => Step<Iterable<number>>;

/** Gives a tag to users who don't have it. */
export function assignUsers(
  tenant: Tenant,
  slug: string,
  selection: UserSelection & Once,
): Promise<TaggingResult> {
  const { organizationId } = tenant;
  return changeTag(tenant, slug, selection, "user_tag.assigned", function* (tx, tag, users) {
    const createdAt = tenant.now();
    const assignments = users.map(({ ordinal: userOrdinal }) => {
      return { id: tenant.newId("uta"), userOrdinal, tagId: tag.id, createdAt };
    });
    return (yield* tx.assignTags(organizationId, assignments)).map(({ userOrdinal }) => userOrdinal);
  });
}

/** Takes a tag from users who have it. */
export function unassignUsers(
  tenant: Tenant,
  slug: string,
  selection: UserSelection & Once,
): Promise<TaggingResult> {
  return changeTag(tenant, slug, selection, "user_tag.unassigned", (tx, tag, users) => {
    const ordinals = users.map(({ ordinal }) => ordinal);
    return tx.unassignUsers(tenant.organizationId, tag.id, ordinals);
  });
}

/** Whether a filter finds so many users that a change of all of them is a large transaction. */
export async function findsMany(tenant: Tenant, filter: TagFilter): Promise<boolean> {
  const sets = await run(tenant.storage.readSegments(tenant.organizationId, slugsOf(filter)));
  return evaluate(filter, sets, 0, 0).total >= MANY_USERS;
}

async function changeTag(
  tenant: Tenant,
  slug: string,
  selection: UserSelection & Once,
  event: "user_tag.assigned" | "user_tag.unassigned",
  change: Change,
): Promise<TaggingResult> {
  tenant.require("user_tag:write");
  const selected = parseSelection(selection);
  const { userIds = [], filter } = selected;
  const work: Work<TaggingResult> = function* (tx, record, flush) {
    const tag = yield* findTag(tx, tenant.organizationId, slug);
    const userTag = userTagOf(tag);
    const result = { changed: 0, unchanged: 0 };
    const batches = yield* selectedUsers(tenant, tx, selected);
    for (const batch of batches) {
      const users = yield* batch();
      const changed = new Set(yield* change(tx, tag, users));
      for (const { id, ordinal } of users) if (changed.has(ordinal)) record(event, { userId: id, userTag });
      yield* flush();
      result.changed += changed.size;
      result.unchanged += users.length - changed.size;
    }
    return result;
  };
  const isLarge = async () =>
    filter === undefined ? userIds.length >= MANY_USERS : findsMany(tenant, filter);
  return tenant.change([event, slug, selection], work, isLarge);
}

/**
 * The selected users, each once, in batches that are read when they are asked for. The filter is evaluated before any of
 * them is changed.
 */
function* selectedUsers(
  { organizationId }: Tenant,
  tx: StorageTransaction,
  { userIds, filter }: ReturnType<typeof parseSelection>,
): Step<readonly (() => Step<readonly StoredUser[]>)[]> {
  if (filter !== undefined) {
    const sets = yield* tx.readSegments(organizationId, slugsOf(filter));
    const { ordinals } = evaluate(filter, sets, 0, Number.POSITIVE_INFINITY);
    return inBatches(ordinals).map((some) => () => tx.usersByOrdinal(organizationId, some));
  }
  const users = new Map<string, StoredUser>();
  for (const some of inBatches([...new Set(userIds)])) {
    for (const user of yield* findUsers(tx, organizationId, some)) users.set(user.id, user);
  }
  return inBatches([...users.values()]).map((some) => () => wait(some));
}

function inBatches<T>(all: readonly T[]): (readonly T[])[] {
  const batches: (readonly T[])[] = [];
  for (let at = 0; at < all.length; at += BATCH) batches.push(all.slice(at, at + BATCH));
  return batches;
}
