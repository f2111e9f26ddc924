import { actorOf } from "../access/actor-schema.js";
import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError } from "../base/errors.js";
import { timestamp } from "../base/values/clock.js";
import { newId } from "../base/values/ids.js";
import type { Engine } from "../kernel/engine.js";
import type { Limits } from "../kernel/limits.js";
import type { Tenant } from "../kernel/tenant.js";
import type { EventHead, NewEvent } from "../storage/events.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type {
  EndpointRef,
  NewDelivery,
  PendingDeliveries,
  StoredWebhookEndpoint,
} from "../storage/webhooks.js";

/** Maximum number of events per read. */
const BATCH_SIZE = 500;

/** Maximum time before the position past skipped events is written to storage, in milliseconds. */
const MAX_UNSAVED_MS = 10_000;

/**
 * Maximum number of endpoints whose skipped events are held in memory. Beyond it, an endpoint's position is written immediately.
 */
const MAX_SKIPPED_RANGES = 10_000;

/** Number of expired deliveries to remove for each new delivery, so that expired deliveries can't pile up. */
const REMOVALS_PER_DELIVERY = 2;

/** A range of events that an endpoint skips. The range is held in memory, so that skipping events costs no write. */
interface SkippedRange {
  /** The endpoint's stored position when the range began. */
  readonly position: number;
  readonly end: number;
  readonly since: number;
}

/** A snapshot of an endpoint's backlog: the events that don't have deliveries yet, and when the next delivery is due. */
export interface Backlog {
  readonly endpoint: StoredWebhookEndpoint;
  readonly skippedRange: SkippedRange;
  /** The events to create deliveries for. They match the endpoint's types and fit in its queue. */
  readonly newEvents: readonly EventHead[];
  /**
   * The position up to which the backlog was read. Deliveries for all matching events up to this position fit in the endpoint's
   * queue.
   */
  readonly end: number;
  /** Whether there are deliveries to create or a new position to store. */
  readonly needsWrite: boolean;
  /** Whether the outbox might contain more events to read. */
  readonly hasMore: boolean;
  /**
   * When the endpoint's earliest pending delivery is due, in milliseconds since the Unix epoch. `Infinity` if no delivery is
   * pending.
   */
  readonly dueAt: number;
}

/** Turns events into deliveries, one for each endpoint that receives the event. */
export class FanOut {
  private readonly skippedRanges = new Map<string, SkippedRange>();

  constructor(private readonly engine: Pick<Engine, "storage" | "clock" | "uuid" | "config">) {}

  /**
   * Reads an endpoint's backlog.
   * @returns the backlog, or `null` if the endpoint doesn't exist.
   */
  async findBacklog(endpointRef: EndpointRef): Promise<Backlog | null> {
    const { storage, clock } = this.engine;
    const backlog = await storage.snapshot(endpointRef.organizationId, (reader) =>
      this.readBacklog(reader, endpointRef),
    );
    if (backlog === null) return null;
    const { endpoint, skippedRange, newEvents, end } = backlog;
    if (end === endpoint.position) return backlog;
    const isDue = end - endpoint.position >= BATCH_SIZE || clock() - skippedRange.since >= MAX_UNSAVED_MS;
    const isOnlySkipping = !isDue && newEvents.length === 0;
    return {
      ...backlog,
      needsWrite: !(isOnlySkipping && this.rememberSkipped(endpointRef, { ...skippedRange, end })),
    };
  }

  /**
   * Creates the deliveries for a backlog, unless another worker has already created some of them or the endpoint has changed since
   * the backlog was read.
   * @param endpoint the endpoint, which the transaction has locked.
   * @returns whether there might be more events to deliver.
   */
  *createDeliveries(
    tx: StorageTransaction,
    endpointRef: EndpointRef,
    endpoint: StoredWebhookEndpoint,
    { endpoint: readEndpoint, newEvents, end, hasMore }: Backlog,
  ): Step<boolean> {
    const { endpointId } = endpointRef;
    const { clock: now, uuid } = this.engine;
    if (endpoint.position !== readEndpoint.position) return true;
    // The endpoint's types may have changed in the meantime, so the events must be read again.
    if (endpoint.updatedAt !== readEndpoint.updatedAt || endpoint.disabledAt !== readEndpoint.disabledAt)
      return true;
    const source = { now, newId: (prefix: "whd") => newId(prefix, uuid) };
    if (newEvents.length > 0) {
      const deliveries = newEvents.map((event) => createDelivery(event, endpoint, source));
      yield* tx.insertDeliveries(endpointId, deliveries);
      const before = now() - this.engine.config.retention.deliveryMs;
      yield* tx.removeDeliveries(endpointId, before, deliveries.length * REMOVALS_PER_DELIVERY);
    }
    yield* tx.updateWebhookEndpoint({ ...endpoint, position: end });
    this.skippedRanges.delete(buildKey(endpointRef));
    return hasMore;
  }

  /**
   * Reads the backlog in one snapshot, so that events that come after a change of the endpoint's types are never matched against
   * the old types.
   */
  private *readBacklog(reader: StorageReader, endpointRef: EndpointRef): Step<Backlog | null> {
    const { endpointId } = endpointRef;
    const endpoint = yield* reader.findWebhookEndpoint(endpointId);
    if (endpoint === null) return null;
    const pending = yield* reader.pendingDeliveries();
    const dueAt = pending.get(endpointId)?.dueAt ?? Number.POSITIVE_INFINITY;
    const skippedRange = this.getSkippedRange(endpointRef, endpoint);
    const emptyBacklog = {
      endpoint,
      skippedRange,
      newEvents: [],
      end: endpoint.position,
      needsWrite: false,
      hasMore: false,
      dueAt,
    };
    const newest = yield* reader.newestEventPosition();
    const last = endpoint.disabledAt === null ? newest : (endpoint.lastPosition ?? endpoint.position);
    if (last <= endpoint.position) return emptyBacklog;
    const remainingCapacity = countRemainingCapacity(pending, endpointId, this.engine.config.limits);
    if (remainingCapacity === 0) return emptyBacklog;
    const events = (yield* reader.listEventHeads(null, skippedRange.end, BATCH_SIZE)).filter(
      ({ position }) => position <= last,
    );
    const subscribedEvents = events.filter((event) => isSubscribed(endpoint, event));
    const newEvents = subscribedEvents.slice(0, remainingCapacity);
    const isFull = newEvents.length < subscribedEvents.length;
    // There may be no events left, because retention removes events even before they are delivered.
    const readUpTo = events.length === BATCH_SIZE ? (events.at(-1)?.position ?? last) : last;
    const end = isFull
      ? (newEvents.at(-1)?.position ?? endpoint.position)
      : Math.max(readUpTo, skippedRange.end);
    return { ...emptyBacklog, newEvents, end, hasMore: !isFull && events.length === BATCH_SIZE };
  }

  private getSkippedRange(endpointRef: EndpointRef, { position }: StoredWebhookEndpoint): SkippedRange {
    const skippedRange = this.skippedRanges.get(buildKey(endpointRef));
    return skippedRange?.position === position
      ? skippedRange
      : { position, end: position, since: this.engine.clock() };
  }

  /**
   * Holds a skipped range in memory.
   * @returns `false` if memory is full of ranges that aren't due to be written.
   */
  private rememberSkipped(endpointRef: EndpointRef, skippedRange: SkippedRange): boolean {
    const key = buildKey(endpointRef);
    this.skippedRanges.delete(key);
    const [oldest] = this.skippedRanges;
    if (this.skippedRanges.size === MAX_SKIPPED_RANGES && oldest !== undefined) {
      if (this.engine.clock() - oldest[1].since < MAX_UNSAVED_MS) return false;
      this.skippedRanges.delete(oldest[0]);
    }
    this.skippedRanges.set(key, skippedRange);
    return true;
  }
}

function buildKey({ organizationId, endpointId }: EndpointRef): string {
  return JSON.stringify([organizationId, endpointId]);
}

function isSubscribed({ types }: StoredWebhookEndpoint, { type }: EventHead): boolean {
  return types === null || types.includes(type);
}

/** Formats the request body for an event. The envelope is the same as in the API, and the stored data is included verbatim. */
export function formatEventBody(event: NewEvent): string {
  const { id, type, createdAt, data } = event;
  const envelope = JSON.stringify({ id, type, timestamp: timestamp(createdAt), actor: actorOf(event) });
  return `${envelope.slice(0, -1)},"data":${data}}`;
}

/** An event to deliver. Its position is `null` if the event isn't in the outbox. */
export type EventSource = Pick<EventHead, "id" | "type"> & { readonly position: number | null };

/**
 * Creates a delivery that is due immediately.
 * @param customBody the request body if the event isn't in the outbox, or `null` otherwise.
 */
export function createDelivery(
  { id: eventId, type: eventType, position: eventPosition }: EventSource,
  { id: endpointId }: Pick<StoredWebhookEndpoint, "id">,
  source: Pick<Tenant, "newId" | "now">,
  customBody: string | null = null,
): NewDelivery {
  const now = source.now();
  const id = source.newId("whd");
  return {
    id,
    endpointId,
    eventId,
    eventPosition,
    eventType,
    customBody,
    nextAttemptAt: now,
    createdAt: now,
  };
}

/** Throws `webhook_endpoint_disabled` if the endpoint is disabled. */
export function assertEnabled({ disabledAt }: StoredWebhookEndpoint): void {
  if (disabledAt !== null) throw createLoyaltyError("webhook_endpoint_disabled");
}

/**
 * Returns how many more deliveries can be queued for the endpoint without exceeding its own limit or its organization's limit.
 * Concurrent transactions don't see each other's deliveries, so together they might exceed these limits.
 * @param pending the organization's pending deliveries, keyed by endpoint ID.
 */
export function countRemainingCapacity(
  pending: ReadonlyMap<string, PendingDeliveries>,
  endpointId: string,
  { pendingDeliveries, pendingDeliveriesPerEndpoint }: Limits,
): number {
  let total = 0;
  for (const { count } of pending.values()) total += count;
  const endpointCount = pending.get(endpointId)?.count ?? 0;
  return Math.max(0, Math.min(pendingDeliveries - total, pendingDeliveriesPerEndpoint - endpointCount));
}
