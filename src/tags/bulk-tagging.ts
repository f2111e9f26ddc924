import { awaitInStep, type Step, succeedStep } from "../base/concurrency/step.js";
import { findTag, findUsers } from "../kernel/find.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import type { ChangeBatch, Tenant } from "../kernel/tenant.js";
import type { SegmentFilter } from "../segments/filter-schema.js";
import { findMatches } from "../segments/matching.js";
import { hasBehavior } from "../segments/plan.js";
import { resolveFilter, scopesForSelector } from "../segments/saved-filters.js";
import { findSegment } from "../segments/segment-changes.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTag } from "../storage/tags.js";
import type { StoredUser } from "../storage/users.js";
import { giveTag, settleMerges } from "./removals.js";
import {
  isNotOfTags,
  parseSelection,
  scopesToSelect,
  type TaggingResult,
  type UserSelection,
  userTagOf,
} from "./schema.js";

/** Number of users per batch. It bounds a change's memory use and how long other changes wait. */
const BATCH = 500;

/** Maximum number of users changed in one transaction; larger changes run in batches. */
const WHOLE = 2_500;

/** Number of users from which a change is worth running in a thread, because it saves the host more time than it costs. */
const MANY_USERS = 5_000;

/** A change of one tag of some users. */
interface TagChange {
  /** The event of each changed user. */
  readonly event: "user_tag.assigned" | "user_tag.unassigned";
  /** Changes the tag of some users, and returns the ordinals of the changed users. */
  write(tx: StorageTransaction, tag: StoredTag, users: readonly StoredUser[]): Step<Iterable<number>>;
}

/** Assigns a tag to the selected users who don't have it yet. */
export function assignUsers(
  tenant: Tenant,
  slug: string,
  selection: UserSelection & IdempotencyOptions,
): Promise<TaggingResult> {
  return changeTag(tenant, slug, selection, {
    event: "user_tag.assigned",
    write: (tx, tag, users) => giveTag({ tenant, tx }, tag, users, tenant.now()),
  });
}

/** Removes a tag from the selected users who have it. */
export function unassignUsers(
  tenant: Tenant,
  slug: string,
  selection: UserSelection & IdempotencyOptions,
): Promise<TaggingResult> {
  return changeTag(tenant, slug, selection, {
    event: "user_tag.unassigned",
    write(tx, tag, users) {
      const ordinals = users.map(({ ordinal }) => ordinal);
      return tx.unassignUsers(tag.ordinal, ordinals);
    },
  });
}

/**
 * Returns whether a filter matches at least `many` users.
 * @param many the threshold. Default: the minimum number of users for which it's worth running a change in a worker thread.
 */
export async function matchesMany(
  tenant: Tenant,
  filter: SegmentFilter,
  many = MANY_USERS,
): Promise<boolean> {
  const { organizationId } = tenant;
  const question = { organizationId, filter, at: tenant.now() };
  return (await tenant.read((reader) => findMatches(reader, question, 0, 0))).total >= many;
}

async function changeTag(
  tenant: Tenant,
  slug: string,
  selection: UserSelection & IdempotencyOptions,
  { event, write }: TagChange,
): Promise<TaggingResult> {
  const selector = parseSelection(selection);
  tenant.require(scopesToSelect(selector));
  const slice = (choose: Choice): ChangeBatch<TaggingResult> =>
    function* (change, before) {
      const { tx, record, flush } = change;
      const tag = yield* findTag(tx, tenant.organizationId, slug);
      const userTag = userTagOf(tag);
      const result = { ...before };
      for (const batch of inBatches(yield* choose(tx))) {
        const users = yield* readUsersInOrder(tx, batch);
        yield* settleMerges(change, tag, users);
        const changedOrdinals = new Set(yield* write(tx, tag, users));
        for (const { id, ordinal } of users)
          if (changedOrdinals.has(ordinal)) record(event, { userId: id, userTag });
        yield* flush();
        result.changed += changedOrdinals.size;
        result.unchanged += users.length - changedOrdinals.size;
      }
      return result;
    };
  const request = [event, slug, selection] as const;
  if (!tenant.isJoining && (await areMany(tenant, selector))) {
    return tenant.changeInBatches(request, none, async () => {
      const ordinals = await tenant.read((reader) => resolveSelection(tenant, reader, selector));
      const batches = ordinals.length === 0 ? [ordinals] : inBatches(ordinals);
      return batches.map((batch) => slice(() => awaitInStep(batch)));
    });
  }
  const filter = resolveFilter(selector);
  if (!tenant.isJoining && filter !== null && hasBehavior(filter)) {
    // Finding the users may take longer than other changes should wait for a transaction.
    const readSelection = () => tenant.read((reader) => resolveSelection(tenant, reader, selector));
    return tenant.changeAfter(readSelection, request, (ordinals, change) =>
      slice(() => succeedStep(ordinals))(change, none),
    );
  }
  const whole = slice((tx) => resolveSelection(tenant, tx, selector));
  return tenant.change(request, (change) => whole(change, none));
}

type Selected = ReturnType<typeof parseSelection>;

const none: TaggingResult = { changed: 0, unchanged: 0 };

/** Finds the ordinals of the selected users, without duplicates. */
type Choice = (reader: StorageReader) => Step<readonly number[]>;

/** Returns whether there may be too many selected users for one transaction. */
async function areMany(tenant: Tenant, selector: Selected): Promise<boolean> {
  const { userIds = [] } = selector;
  const filter = resolveFilter(selector);
  return filter === null ? userIds.length > WHOLE : matchesMany(tenant, filter, WHOLE + 1);
}

function* resolveSelection(
  tenant: Tenant,
  reader: StorageReader,
  selector: Selected,
): Step<readonly number[]> {
  const { organizationId } = tenant;
  const { userIds, segment } = selector;
  const filter = resolveFilter(selector);
  if (filter !== null) {
    tenant.require((yield* scopesForSelector(reader, selector)).filter(isNotOfTags));
    if (segment !== undefined) yield* findSegment(reader, organizationId, segment);
    return yield* chosenBy(tenant, reader, filter);
  }
  const ordinals = new Set<number>();
  for (const some of inBatches([...new Set(userIds)])) {
    for (const { ordinal } of yield* findUsers(reader, organizationId, some)) ordinals.add(ordinal);
  }
  return [...ordinals];
}

function* chosenBy(tenant: Tenant, reader: StorageReader, filter: SegmentFilter): Step<readonly number[]> {
  const { organizationId } = tenant;
  const at = tenant.now();
  const question = { organizationId, filter, at };
  return (yield* findMatches(reader, question, 0, Number.POSITIVE_INFINITY)).ordinals;
}

/** Returns users in the order of the ordinals, without users deleted in the meantime. */
function* readUsersInOrder(reader: StorageReader, ordinals: readonly number[]): Step<readonly StoredUser[]> {
  const users = yield* reader.usersByOrdinal(ordinals);
  const byOrdinal = new Map(users.map((user) => [user.ordinal, user]));
  return ordinals.flatMap((ordinal) => byOrdinal.get(ordinal) ?? []);
}

function inBatches<T>(all: readonly T[]): (readonly T[])[] {
  const batches: (readonly T[])[] = [];
  for (let at = 0; at < all.length; at += BATCH) batches.push(all.slice(at, at + BATCH));
  return batches;
}
