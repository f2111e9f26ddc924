import { putAndEvict } from "../bounded-map.js";
import { OrganizationQueues } from "../concurrency/organization-queues.js";
import type { Step } from "../concurrency/step.js";
import type { StoredActor } from "../storage/actors.js";
import type { EventRemoval, RemovalRange } from "../storage/events.js";
import type { StorageAdapter, StorageTransaction } from "../storage/storage-adapter.js";
import type { Clock } from "../values/clock.js";
import type { LoyaltyEvent } from "./event.js";
import type { ErrorListener } from "./event-emitter.js";

/** Events that are too old are tidied for at most once an hour in a growing organization. */
const TIDY_INTERVAL_MS = 3_600_000;

/** The time of the last tidying is remembered for at most this many organizations. */
const MOST_TIDIED = 10_000;

/** The outbox of an organization is tidied once per this many events. */
const TIDY_EVERY = 1_000;

/** Each transaction removes at most this many: more than one mostly adds. */
const REMOVED_AT_ONCE = 2_000;

/** The listener is called when an organization's events, or deliveries of them, grew. */
export type WorkListener = (organizationId: string) => void;

/** Stores events with their changes, in the same transaction, until they are too old or too many. */
export class Outbox {
  private readonly tidying = new Map<string, Promise<void>>();
  private readonly growthListeners = new Set<WorkListener>();
  /** The time of each organization's last tidying, or of its first event here; the longest ago comes first. */
  private readonly tidiedAt = new Map<string, number>();
  private isClosed = false;

  constructor(
    private readonly storage: StorageAdapter,
    private readonly clock: Clock,
    private readonly onError: ErrorListener,
    private readonly retention: { readonly eventMs: number; readonly maxEvents: number },
  ) {}

  /**
   * Writes events of a change.
   * @param others the actors of those events that another actor made.
   * @returns the position of the last one.
   */
  append(
    tx: StorageTransaction,
    organizationId: string,
    events: readonly LoyaltyEvent[],
    own: StoredActor,
    others: ReadonlyMap<LoyaltyEvent, StoredActor> | null,
  ): Step<number> {
    return tx.appendEvents(
      organizationId,
      events.map((event) => {
        const { id, type, timestamp, data } = event;
        const { actor, subject } = others?.get(event) ?? own;
        return { id, type, createdAt: Date.parse(timestamp), actor, subject, data: JSON.stringify(data) };
      }),
    );
  }

  /** Listens for commits that added events or deliveries. It must not throw. @returns a function that ends it. */
  onWork(listener: WorkListener): () => void {
    this.growthListeners.add(listener);
    return () => this.growthListeners.delete(listener);
  }

  get isHeard(): boolean {
    return this.growthListeners.size > 0;
  }

  /** Returns whether old events are due to be removed when the newest position grows from `before` to `after`. */
  isCleanupDue(organizationId: string, before: number, after: number): boolean {
    if (Math.floor(before / TIDY_EVERY) < Math.floor(after / TIDY_EVERY)) return true;
    const tidied = this.tidiedAt.get(organizationId);
    if (tidied === undefined) this.markCleanedUp(organizationId);
    return tidied !== undefined && this.clock() - tidied >= TIDY_INTERVAL_MS;
  }

  private markCleanedUp(organizationId: string): void {
    putAndEvict(this.tidiedAt, organizationId, this.clock(), MOST_TIDIED);
  }

  /** Tells listeners of a commit that added events or deliveries. */
  signalWork(organizationId: string): void {
    for (const listener of this.growthListeners) listener(organizationId);
  }

  /** Call it after an organization's events grew. Every now and then it removes expired events, off the caller's path. */
  afterAppend(organizationId: string, before: number, after: number): void {
    if (before < after) this.signalWork(organizationId);
    const isDue = before < after && this.isCleanupDue(organizationId, before, after);
    if (!isDue || this.isClosed || this.tidying.has(organizationId)) return;
    this.markCleanedUp(organizationId);
    const tidied = this.cleanUp(organizationId)
      .catch(this.onError)
      .finally(() => this.tidying.delete(organizationId));
    this.tidying.set(organizationId, tidied);
  }

  /** Stops removing events. Resolves when the current removal ends. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.tidying.values());
  }

  private async cleanUp(organizationId: string): Promise<void> {
    const { eventMs, maxEvents } = this.retention;
    const since = this.clock() - eventMs;
    for (let after: number | null = 0; after !== null && !this.isClosed; ) {
      const range: RemovalRange = { after, limit: REMOVED_AT_ONCE };
      const { end }: EventRemoval = await this.storage.transaction(function* (tx) {
        const atMost = Math.max(maxEvents, yield* countUndelivered(tx, organizationId));
        // Mostly there is nothing to remove, and the oldest event says so.
        const [oldest] = yield* tx.listEventHeads(organizationId, null, range.after, 1);
        if (oldest === undefined) return { removed: 0, end: null };
        const newest = yield* tx.newestEventPosition(organizationId);
        if (oldest.createdAt >= since && oldest.position > newest - atMost) return { removed: 0, end: null };
        return yield* tx.removeEvents(organizationId, { since, atMost }, range);
      });
      after = end;
    }
  }
}

/** Returns how many of the newest events a webhook endpoint, a wallet, an automation or a segment still has to get: only their age may remove them. */
function* countUndelivered(tx: StorageTransaction, organizationId: string): Step<number> {
  const endpoints = yield* tx.listWebhookEndpoints(organizationId);
  const positions = endpoints
    .filter(({ position, lastPosition }) => lastPosition === null || position < lastPosition)
    .map(({ position }) => position);
  const wallets = yield* tx.findWalletQueue(organizationId);
  if (wallets !== null) positions.push(wallets.position);
  const automations = yield* tx.findAutomationQueue(organizationId);
  if (automations !== null) positions.push(automations.position);
  const segments = yield* tx.findSegmentFollower(organizationId);
  if (segments !== null && segments.position !== null) positions.push(segments.position);
  if (positions.length === 0) return 0;
  return (yield* tx.newestEventPosition(organizationId)) - Math.min(...positions);
}

/** A change whose work is done, and whether it is committed; `null` while that is unknown. */
interface PendingCommit {
  readonly tell: () => Promise<void>;
  /** Begins to find out how the change ended; `null` once that has begun, or if it isn't needed. */
  ask: (() => void) | null;
  isCommitted: boolean | null;
  told: Promise<void> | null;
}

/**
 * Reports changes in the order of their commits. Changes of one organization commit in the order in which their work ends, but a
 * database may confirm a later one first.
 */
export class CommitSequencer {
  private readonly lines = new OrganizationQueues<PendingCommit>();

  /**
   * Reserves the place of a change. Call it when the work of the change is done, before its commit.
   * @param tell reports the change synchronously.
   * @param ask begins to find out how the change ended, if another process commits it. It is called once the ends of all earlier
   *   changes are known.
   * @returns a function that takes the outcome, once. Its promise resolves when the change is reported. If the end of an earlier
   *   change is unknown, this one is reported after it, and the promise does not wait for that.
   */
  reserve(
    organizationId: string,
    tell: () => Promise<void>,
    ask: (() => void) | null = null,
  ): (isCommitted: boolean) => Promise<void> {
    const line = this.lines.getOrCreate(organizationId);
    const ending: PendingCommit = { tell, ask, isCommitted: null, told: null };
    line.push(ending);
    this.publishCommitted(organizationId, line);
    return async (isCommitted) => {
      ending.isCommitted = isCommitted;
      this.publishCommitted(organizationId, line);
      await ending.told;
    };
  }

  private publishCommitted(organizationId: string, line: PendingCommit[]): void {
    for (let next = line[0]; next !== undefined && next.isCommitted !== null; next = line[0]) {
      line.shift();
      if (next.isCommitted) next.told = next.tell();
    }
    const [first] = line;
    if (first !== undefined) {
      first.ask?.();
      first.ask = null;
    } else {
      this.lines.dropIfEmpty(organizationId, line);
    }
  }
}
