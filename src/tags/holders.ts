import { turns } from "../concurrency/event-loop.js";
import type { Step } from "../concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTag } from "../storage/tags.js";
import type { StoredUser } from "../storage/users.js";
import { USER_BATCH } from "../tenant/batches.js";
import type { Tenant } from "../tenant/tenant.js";
import { isStorable } from "../values/text.js";
import { findsMany } from "./bulk-tagging.js";

/** A user who has a tag. */
export type Holder = Pick<StoredUser, "id" | "ordinal">;

/** So many holders are read before the change that takes a tag from them; it reads others itself. They take some 10 MB. */
const MOST_KNOWN = 100_000;

/** One statement takes the tag from so many. */
const TAKEN_AT_ONCE = 1_000;

/**
 * Who has a tag, where they are thousands; none where they are fewer. Read before the change, since others wait for that one:
 * it finds out who of them still has the tag, and who else does.
 */
export async function manyHolders(tenant: Tenant, slug: string): Promise<readonly Holder[]> {
  if (tenant.isJoining || !isStorable(slug)) return [];
  if (!(await findsMany(tenant, { operator: "AND", conditions: [{ slug }] }))) return [];
  const { organizationId } = tenant;
  return tenant.read(function* (reader) {
    const holders: Holder[] = [];
    const tag = yield* reader.findTag(organizationId, slug);
    if (tag === null) return holders;
    for (let after = -1; holders.length < MOST_KNOWN; ) {
      yield* turns();
      const users = yield* reader.usersOfTag(organizationId, tag.ordinal, after, USER_BATCH);
      for (const { id, ordinal } of users) holders.push({ id, ordinal });
      if (users.length < USER_BATCH) break;
      after = users.at(-1)?.ordinal ?? after;
    }
    return holders;
  }, true);
}

/**
 * Takes a tag from everybody who has it.
 * @param known some of those who may have it.
 * @param taken goes on with some of those who had it, at most 500 at a time.
 */
export function* takeFromAll(
  tx: StorageTransaction,
  organizationId: string,
  { ordinal: tagOrdinal }: StoredTag,
  known: readonly Holder[],
  taken: (holders: readonly Holder[]) => Step<void>,
): Step<void> {
  for (const some of inBatches(known, TAKEN_AT_ONCE)) {
    const ordinals = some.map(({ ordinal }) => ordinal);
    const had = new Set(yield* tx.unassignUsers(organizationId, tagOrdinal, ordinals));
    const holders = some.filter(({ ordinal }) => had.has(ordinal));
    for (const few of inBatches(holders, USER_BATCH)) yield* taken(few);
  }
  for (let after = -1; ; ) {
    const users = yield* tx.usersOfTag(organizationId, tagOrdinal, after, USER_BATCH);
    const last = users.at(-1);
    if (last === undefined) return;
    after = last.ordinal;
    const ordinals = users.map(({ ordinal }) => ordinal);
    yield* tx.unassignUsers(organizationId, tagOrdinal, ordinals);
    yield* taken(users);
  }
}

function* inBatches<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
