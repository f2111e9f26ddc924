import { awaitInStep, type Step, succeedStep } from "../base/concurrency/step.js";
import { findTag, findUsers } from "../kernel/find.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import type { ChangeBatch, Tenant } from "../kernel/tenant.js";
import type { SegmentFilter } from "../segments/filter-schema.js";
import { findMatches } from "../segments/matching.js";
import { hasBehavior } from "../segments/plan.js";
import { resolveFilter, scopesForSelector } from "../segments/saved-filters.js";
import { findSegment } from "../segments/segment-changes.js";
import { splitIntoBatches } from "../storage/batches.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTag } from "../storage/tags.js";
import type { StoredUser } from "../storage/users.js";
import { applyPendingMerges, assignTagToUsers } from "./removals.js";
import {
  isNotTagScope,
  listSelectionScopes,
  parseSelection,
  type TaggingResult,
  toUserTag,
  type UserSelection,
} from "./schema.js";

/** Number of users per batch. It bounds a change's memory use and how long other changes wait. */
const BATCH_SIZE = 500;

/** Maximum number of users changed in one transaction; larger changes run in batches. */
const MAX_USERS_PER_TRANSACTION = 2_500;

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
    write: (tx, tag, users) => assignTagToUsers({ tenant, tx }, tag, users, tenant.now()),
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

async function changeTag(
  tenant: Tenant,
  slug: string,
  selection: UserSelection & IdempotencyOptions,
  { event, write }: TagChange,
): Promise<TaggingResult> {
  const selector = parseSelection(selection);
  tenant.require(listSelectionScopes(selector));
  const buildBatch = (findOrdinals: FindOrdinals): ChangeBatch<TaggingResult> =>
    function* (change, previous) {
      const { tx, record, flush } = change;
      const tag = yield* findTag(tx, tenant.organizationId, slug);
      const userTag = toUserTag(tag);
      const result = { ...previous };
      for (const batch of splitIntoBatches(yield* findOrdinals(tx), BATCH_SIZE)) {
        const users = yield* readUsersInOrder(tx, batch);
        yield* applyPendingMerges(change, tag, users);
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
  if (!tenant.isJoining && (await needsBatches(tenant, selector))) {
    return tenant.changeInBatches(request, noChanges, async () => {
      const ordinals = await tenant.read((reader) => resolveSelection(tenant, reader, selector));
      const batches = ordinals.length === 0 ? [ordinals] : [...splitIntoBatches(ordinals, BATCH_SIZE)];
      return batches.map((batch) => buildBatch(() => awaitInStep(batch)));
    });
  }
  const filter = resolveFilter(selector);
  if (!tenant.isJoining && filter !== null && hasBehavior(filter)) {
    // Finding the users may take longer than other changes should wait for a transaction.
    const readSelection = () => tenant.read((reader) => resolveSelection(tenant, reader, selector));
    return tenant.changeAfter(readSelection, request, (ordinals, change) =>
      buildBatch(() => succeedStep(ordinals))(change, noChanges),
    );
  }
  const changeAll = buildBatch((tx) => resolveSelection(tenant, tx, selector));
  return tenant.change(request, (change) => changeAll(change, noChanges));
}

type ParsedSelection = ReturnType<typeof parseSelection>;

const noChanges: TaggingResult = { changed: 0, unchanged: 0 };

/** Finds the ordinals of the selected users, without duplicates. */
type FindOrdinals = (reader: StorageReader) => Step<readonly number[]>;

/** Returns whether there may be too many selected users for one transaction. */
async function needsBatches(tenant: Tenant, selector: ParsedSelection): Promise<boolean> {
  const { userIds = [] } = selector;
  const filter = resolveFilter(selector);
  if (filter === null) return userIds.length > MAX_USERS_PER_TRANSACTION;
  const query = { organizationId: tenant.organizationId, filter, at: tenant.now() };
  const { total } = await tenant.read((reader) => findMatches(reader, query, 0, 0));
  return total > MAX_USERS_PER_TRANSACTION;
}

function* resolveSelection(
  tenant: Tenant,
  reader: StorageReader,
  selector: ParsedSelection,
): Step<readonly number[]> {
  const { organizationId } = tenant;
  const { userIds, segment } = selector;
  const filter = resolveFilter(selector);
  if (filter !== null) {
    tenant.require((yield* scopesForSelector(reader, selector)).filter(isNotTagScope));
    if (segment !== undefined) yield* findSegment(reader, organizationId, segment);
    return yield* findMatchingOrdinals(tenant, reader, filter);
  }
  const ordinals = new Set<number>();
  for (const batch of splitIntoBatches([...new Set(userIds)], BATCH_SIZE)) {
    for (const { ordinal } of yield* findUsers(reader, organizationId, batch)) ordinals.add(ordinal);
  }
  return [...ordinals];
}

function* findMatchingOrdinals(
  tenant: Tenant,
  reader: StorageReader,
  filter: SegmentFilter,
): Step<readonly number[]> {
  const { organizationId } = tenant;
  const at = tenant.now();
  const query = { organizationId, filter, at };
  return (yield* findMatches(reader, query, 0, Number.POSITIVE_INFINITY)).ordinals;
}

/** Returns users in the order of the ordinals, without users deleted in the meantime. */
function* readUsersInOrder(reader: StorageReader, ordinals: readonly number[]): Step<readonly StoredUser[]> {
  const users = yield* reader.usersByOrdinal(ordinals);
  const byOrdinal = new Map(users.map((user) => [user.ordinal, user]));
  return ordinals.flatMap((ordinal) => byOrdinal.get(ordinal) ?? []);
}
