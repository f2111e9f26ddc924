import { putAndEvict } from "../../base/bounded-map.js";
import type { Step } from "../../base/concurrency/step.js";
import type { Clock } from "../../base/values/clock.js";
import type { StoredActor } from "../../storage/actors.js";
import { automationJobs } from "../../storage/automations.js";
import type { EventRemoval, RemovalRange } from "../../storage/events.js";
import type { StorageAdapter, StorageTransaction } from "../../storage/storage-adapter.js";
import { walletJobs } from "../../storage/wallets.js";
import { type ErrorListener, type LoyaltyEvent, WorkSignal } from "./event-emitter.js";

/** Minimum time between two cleanups by age in a growing organization, in milliseconds. */
const CLEANUP_INTERVAL_MS = 3_600_000;

/** Maximum number of organizations whose last cleanup time is stored. */
const MAX_TRACKED_ORGANIZATIONS = 10_000;

/** Number of new events after which an organization's outbox is cleaned up. */
const EVENTS_PER_CLEANUP = 1_000;

/** Maximum number of events removed per transaction: more than a transaction usually adds. */
const REMOVAL_BATCH_SIZE = 2_000;

/**
 * Stores events in the same transaction as the changes that caused them, and removes them when their retention period ends. Signals
 * work after commits that added events or deliveries.
 */
export class Outbox extends WorkSignal {
  private readonly runningCleanups = new Map<string, Promise<void>>();
  /** The time of each organization's last cleanup, or of its first event in this process; least recent first. */
  private readonly cleanedUpAt = new Map<string, number>();
  private isClosed = false;

  constructor(
    private readonly storage: StorageAdapter,
    private readonly clock: Clock,
    private readonly onError: ErrorListener,
    private readonly retention: { readonly eventMs: number; readonly maxEvents: number },
  ) {
    super();
  }

  /**
   * Stores a change's events.
   * @param otherActors the actors of events that weren't caused by the call's own actor.
   * @returns the position of the last stored event.
   */
  append(
    tx: StorageTransaction,
    events: readonly LoyaltyEvent[],
    ownActor: StoredActor,
    otherActors: ReadonlyMap<LoyaltyEvent, StoredActor> | null,
  ): Step<number> {
    return tx.appendEvents(
      events.map((event) => {
        const { id, type, timestamp, data } = event;
        const { actor, subject } = otherActors?.get(event) ?? ownActor;
        return { id, type, createdAt: Date.parse(timestamp), actor, subject, data: JSON.stringify(data) };
      }),
    );
  }

  /** Returns whether old events are due for removal, given that the newest position has advanced from `before` to `after`. */
  isCleanupDue(organizationId: string, before: number, after: number): boolean {
    if (Math.floor(before / EVENTS_PER_CLEANUP) < Math.floor(after / EVENTS_PER_CLEANUP)) return true;
    const lastCleanup = this.cleanedUpAt.get(organizationId);
    if (lastCleanup === undefined) this.markCleanedUp(organizationId);
    return lastCleanup !== undefined && this.clock() - lastCleanup >= CLEANUP_INTERVAL_MS;
  }

  private markCleanedUp(organizationId: string): void {
    putAndEvict(this.cleanedUpAt, organizationId, this.clock(), MAX_TRACKED_ORGANIZATIONS);
  }

  /**
   * Calls the listeners added with {@link onWork}, and occasionally starts removing expired events in the background. Call this
   * after a commit that appended events.
   */
  afterAppend(organizationId: string, before: number, after: number): void {
    if (before < after) this.signalWork(organizationId);
    const isDue = before < after && this.isCleanupDue(organizationId, before, after);
    if (!isDue || this.isClosed || this.runningCleanups.has(organizationId)) return;
    this.markCleanedUp(organizationId);
    const cleanup = this.cleanUp(organizationId)
      .catch(this.onError)
      .finally(() => this.runningCleanups.delete(organizationId));
    this.runningCleanups.set(organizationId, cleanup);
  }

  /** Stops removing events. Resolves once any removals in progress have finished. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.runningCleanups.values());
  }

  private async cleanUp(organizationId: string): Promise<void> {
    const { eventMs, maxEvents } = this.retention;
    const cutoff = this.clock() - eventMs;
    for (let after: number | null = 0; after !== null && !this.isClosed; ) {
      const range: RemovalRange = { after, limit: REMOVAL_BATCH_SIZE };
      const { end }: EventRemoval = await this.storage.transaction(
        organizationId,
        function* (tx) {
          const maxRetained = Math.max(maxEvents, yield* countUndelivered(tx));
          // Usually there is nothing to remove, which the oldest event shows.
          const [oldest] = yield* tx.listEventHeads(null, range.after, 1);
          if (oldest === undefined) return { removed: 0, end: null };
          const newestPosition = yield* tx.newestEventPosition();
          if (oldest.createdAt >= cutoff && oldest.position > newestPosition - maxRetained)
            return { removed: 0, end: null };
          return yield* tx.removeEvents({ since: cutoff, atMost: maxRetained }, range);
        },
        { isOutOfTurn: true },
      );
      after = end;
    }
  }
}

/**
 * Returns how many of the newest events are still to be read by a webhook endpoint, a wallet, an automation or a segment: these may
 * only be removed because of their age.
 */
function* countUndelivered(tx: StorageTransaction): Step<number> {
  const endpoints = yield* tx.listWebhookEndpoints();
  const positions = endpoints
    .filter(({ position, lastPosition }) => lastPosition === null || position < lastPosition)
    .map(({ position }) => position);
  const wallets = yield* tx.findQueue(walletJobs);
  if (wallets !== null) positions.push(wallets.position);
  const automations = yield* tx.findQueue(automationJobs);
  if (automations !== null) positions.push(automations.position);
  const segments = yield* tx.findSegmentFollower();
  if (segments !== null && segments.position !== null) positions.push(segments.position);
  if (positions.length === 0) return 0;
  return (yield* tx.newestEventPosition()) - Math.min(...positions);
}

/** A change whose work is done, and whether it was committed; `null` while that is unknown. */
interface PendingCommit {
  readonly emit: () => Promise<void>;
  /** Starts to find out how the change ended; `null` once started, or if it isn't needed. */
  startCheck: (() => void) | null;
  isCommitted: boolean | null;
  emission: Promise<void> | null;
}

/**
 * Publishes changes in commit order. An organization's changes commit in the order in which their work ends, but the database might
 * confirm a later commit before an earlier one.
 */
export class CommitSequencer {
  /** Each organization's changes that aren't published yet, in commit order. */
  private readonly queues = new Map<string, PendingCommit[]>();

  /**
   * Adds a change to the commit order. Call this after the change's work is done but before the change commits.
   * @param emit a function that publishes the change. It must begin synchronously.
   * @param startCheck a function that starts checking whether the host committed its transaction, or `null` if the change has its own
   *   transaction. It is called once the outcomes of all earlier changes are known.
   * @returns a function to call once, passing `true` if the change was committed or `false` if it wasn't. Its promise resolves when
   *   the change has been published. If an earlier change's outcome is still unknown, the promise resolves immediately, and the
   *   change is published after the earlier one.
   */
  reserve(
    organizationId: string,
    emit: () => Promise<void>,
    startCheck: (() => void) | null = null,
  ): (isCommitted: boolean) => Promise<void> {
    const queue = this.queues.get(organizationId) ?? [];
    this.queues.set(organizationId, queue);
    const pendingCommit: PendingCommit = { emit, startCheck, isCommitted: null, emission: null };
    queue.push(pendingCommit);
    this.publishCommitted(organizationId, queue);
    return async (isCommitted) => {
      pendingCommit.isCommitted = isCommitted;
      this.publishCommitted(organizationId, queue);
      await pendingCommit.emission;
    };
  }

  private publishCommitted(organizationId: string, queue: PendingCommit[]): void {
    for (let next = queue[0]; next !== undefined && next.isCommitted !== null; next = queue[0]) {
      queue.shift();
      if (next.isCommitted) next.emission = next.emit();
    }
    const [first] = queue;
    if (first !== undefined) {
      first.startCheck?.();
      first.startCheck = null;
    } else if (this.queues.get(organizationId) === queue) {
      this.queues.delete(organizationId);
    }
  }
}
