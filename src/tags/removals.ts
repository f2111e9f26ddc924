import { actorOf, type ResolvedActor } from "../access/actor-schema.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import type { ErrorListener } from "../kernel/events/event-emitter.js";
import { type BackendParts, type Change, createCallContext, Tenant } from "../kernel/tenant.js";
import type { StoredTag, StoredTagRemoval, TagWithMerging } from "../storage/tags.js";
import type { StoredUser } from "../storage/users.js";
import type { EventData } from "../webhooks/event-schema.js";
import { toUserTag, type UserTag } from "./schema.js";

/*
 * Deleting or merging a tag takes one short transaction, no matter how many users have it: readers no longer find the tag, its slug
 * is free, and its users have the tag that it is merged into. Then the tag is removed from its users batch by batch, and their
 * events are recorded. If a user's target tag changes in the meantime, the pending merge is first applied to that user, so that
 * each event is recorded once and in order.
 */

/** Users per batch. On SQLite another change waits for up to two batches, because its commit may be shared with the next one. */
const BATCH_SIZE = 100;

/** The target of a merge, and the data of its event. */
interface Merge {
  readonly target: StoredTag;
  readonly data: EventData["user_tag.merged"];
}

/**
 * Removes a tag and unassigns it from a first batch of users. Call {@link finishRemovalsInBackground} after the commit to unassign it from the
 * rest. In a host transaction, unassigns it from all users immediately.
 */
export function* removeTag(change: Change, tag: StoredTag, merge: Merge | null): Step<void> {
  const { tenant, tx, flush } = change;
  const { actor, isJoining } = tenant;
  const removal: StoredTagRemoval = {
    ordinal: tag.ordinal,
    tag: JSON.stringify(toUserTag(tag)),
    targetOrdinal: merge?.target.ordinal ?? null,
    merge: merge && JSON.stringify(merge.data),
    createdAt: tenant.now(),
    ...actor.stored,
  };
  yield* tx.removeTag(removal);
  let hasMore = yield* unassignBatch(change, removal);
  while (hasMore && isJoining) {
    yield* flush();
    hasMore = yield* unassignBatch(change, removal);
  }
}

/**
 * Takes a removed tag from its next batch of users.
 * @returns whether more users may be left.
 */
function* unassignBatch(change: Change, removal: StoredTagRemoval): Step<boolean> {
  const { tx, record } = change;
  const { ordinal, targetOrdinal, merge } = removal;
  const users = yield* tx.usersOfTag(ordinal, -1, BATCH_SIZE);
  const target = targetOrdinal === null ? null : yield* tx.tagOfOrdinal(targetOrdinal);
  yield* unassignRemovedTag(change, removal, target, users);
  if (users.length === BATCH_SIZE) return true;
  // Another process may have finished the removal and recorded these events.
  if (!(yield* tx.endTagRemoval(ordinal))) return false;
  const removalActor = toResolvedActor(removal);
  const userTag: UserTag = JSON.parse(removal.tag);
  if (merge !== null) record("user_tag.merged", JSON.parse(merge), undefined, removalActor);
  record("user_tag.deleted", userTag, undefined, removalActor);
  return false;
}

/** Takes a removed tag from the users (at most 1,000) who have it, and assigns them the target tag. */
function* unassignRemovedTag(
  { tenant, tx, record }: Change,
  removal: StoredTagRemoval,
  target: StoredTag | null,
  users: readonly Holder[],
): Step<void> {
  const ordinals = users.map(({ ordinal }) => ordinal);
  const unassignedOrdinals = new Set(yield* tx.unassignUsers(removal.ordinal, ordinals));
  const holders = users.filter(({ ordinal }) => unassignedOrdinals.has(ordinal));
  const newHolders = target && (yield* assignTagToUsers({ tenant, tx }, target, holders, removal.createdAt));
  const removalActor = toResolvedActor(removal);
  const userTag: UserTag = JSON.parse(removal.tag);
  const targetTag = target && toUserTag(target);
  for (const { id: userId, ordinal } of holders) {
    record("user_tag.unassigned", { userId, userTag }, undefined, removalActor);
    if (targetTag !== null && newHolders?.has(ordinal))
      record("user_tag.assigned", { userId, userTag: targetTag }, undefined, removalActor);
  }
}

function toResolvedActor(removal: StoredTagRemoval): ResolvedActor {
  const { actor, subject } = removal;
  return { visible: actorOf(removal), stored: { actor, subject } };
}

/**
 * Completes pending merges into a tag for up to 1,000 users. If a user still has a removed tag that is being merged into this one,
 * the removed tag is replaced with it. Call this before assigning the tag to these users or removing it from them.
 */
export function* applyPendingMerges(
  change: Change,
  tag: TagWithMerging,
  users: readonly Holder[],
): Step<void> {
  const { tx } = change;
  if (tag.merging === 0) return;
  for (const removal of yield* tx.tagRemovals())
    if (removal.targetOrdinal === tag.ordinal) yield* unassignRemovedTag(change, removal, tag, users);
}

/**
 * Starts unassigning the organization's removed tags from their users in the background. Call this after the commit. If the work
 * fails, the error is reported, and a worker or `refreshSegments` retries later. Does nothing in a host transaction.
 */
export function finishRemovalsInBackground({ engine, organizationId, isJoining }: Tenant): void {
  if (isJoining) return;
  const tenant = new Tenant(engine, organizationId, "all", createCallContext());
  const finishAll = async () => {
    while (await unassignNextBatch(tenant));
  };
  engine.changes.trackInBackground(finishAll());
}

/**
 * Takes an organization's oldest removed tag from a batch of its users.
 * @returns `false` if there is no removed tag.
 */
async function unassignNextBatch(tenant: Tenant): Promise<boolean> {
  const { organizationId, reader } = tenant;
  if ((await runStep(reader.tagRemovals())).length === 0) return false;
  const changeNextBatch = () =>
    tenant.change(["tags.remove"], function* (change) {
      const { tx } = change;
      const [oldest] = yield* tx.tagRemovals();
      if (oldest !== undefined) yield* unassignBatch(change, oldest);
    });
  await tenant.engine.queues.largeChanges.run(organizationId, changeNextBatch);
  return true;
}

/** Maximum number of organizations whose tag removals one call finishes. */
const MAX_ORGANIZATIONS = 10_000;

/** Finishes tag removals that were interrupted when a process ended. */
export class TagBackend {
  constructor(
    private readonly engine: Pick<BackendParts, "storage" | "openTenant">,
    readonly onError: ErrorListener,
  ) {}

  /** Returns the IDs of at most `limit` organizations that have unfinished tag removals. */
  queuesWithDueJobs(limit: number): Promise<string[]> {
    return runStep(this.engine.storage.all.organizationsWithTagRemovals(limit));
  }

  /**
   * Unassigns an organization's oldest removed tag from a batch of its users.
   * @returns `false` if the organization has no removed tags.
   */
  advance(organizationId: string): Promise<boolean> {
    return unassignNextBatch(this.engine.openTenant(organizationId));
  }

  /** Never calls the listener. Workers need no signal, because each process finishes the removals that it starts. */
  onWork(): () => void {
    return () => {};
  }

  /**
   * Finishes all pending tag removals in all organizations. Reports errors instead of throwing them.
   * @param signal when aborted, stops the work after the current batch.
   */
  async finish(signal?: AbortSignal): Promise<void> {
    for (const organizationId of await this.queuesWithDueJobs(MAX_ORGANIZATIONS)) {
      try {
        while (!signal?.aborted && (await this.advance(organizationId)));
      } catch (error) {
        this.onError(error);
      }
    }
  }
}

/** A user who has a tag or is about to be assigned one. */
type Holder = Pick<StoredUser, "id" | "ordinal">;

/**
 * Assigns a tag to up to 1,000 users, some of whom might already have it.
 * @returns the ordinals of the users who didn't already have the tag.
 */
export function* assignTagToUsers(
  { tenant, tx }: Pick<Change, "tenant" | "tx">,
  tag: StoredTag,
  users: readonly Holder[],
  createdAt: number,
): Step<ReadonlySet<number>> {
  const assignments = users.map(({ ordinal: userOrdinal }) => {
    return { id: tenant.newId("uta"), userOrdinal, tagOrdinal: tag.ordinal, createdAt };
  });
  const newAssignments = yield* tx.assignTags(assignments);
  return new Set(newAssignments.map(({ userOrdinal }) => userOrdinal));
}
