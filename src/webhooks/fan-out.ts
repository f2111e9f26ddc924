import type { Step } from "../concurrency/step.js";
import type { EventHead } from "../storage/events.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { EndpointRef, StoredWebhookEndpoint } from "../storage/webhooks.js";
import type { Engine } from "../tenant/engine.js";
import { newId } from "../values/ids.js";
import { countRemainingCapacity, createDelivery } from "./new-delivery.js";

/** The most events per read. */
const BATCH = 500;

/** The time for which events that an endpoint does not get may go unnoted in its position, in milliseconds. */
const UNNOTED_MS = 10_000;

/** The most endpoints whose skipped events are held in memory; further ones write their position immediately. */
const MAX_REMEMBERED = 10_000;

/** Expired deliveries removed with each new one, so that they never pile up. */
const REMOVED_WITH_EACH = 2;

/** Events that an endpoint does not get cost no write: the position up to which they were read is remembered. */
interface SkippedRange {
  /** The endpoint's position at that time. */
  readonly position: number;
  readonly end: number;
  readonly since: number;
}

/** The work that waits at an endpoint, as it was at one time: events that are to become deliveries, and deliveries that are due. */
export interface Backlog {
  readonly endpoint: StoredWebhookEndpoint;
  readonly passed: SkippedRange;
  /** The events that it gets of those that were read. */
  readonly got: readonly EventHead[];
  /** The position up to which all were read, and for whose events there is room. */
  readonly end: number;
  /** True when events are to become deliveries, or the position up to which they were read is to be noted. */
  readonly isToNote: boolean;
  /** True when there may be more to read. */
  readonly hasMore: boolean;
  /** The time when the first of its pending deliveries is due; `Infinity` without any. */
  readonly dueAt: number;
}

/** Makes deliveries of events. */
export class FanOut {
  private readonly passed = new Map<string, SkippedRange>();

  constructor(private readonly engine: Engine) {}

  /** Returns `null` if there is no such endpoint. */
  async findBacklog(place: EndpointRef): Promise<Backlog | null> {
    const { storage, clock } = this.engine;
    const backlog = await storage.snapshot((reader) => this.readBacklog(reader, place), {
      organizationId: place.organizationId,
    });
    if (backlog === null) return null;
    const { endpoint, passed, got, end } = backlog;
    if (end === endpoint.position) return backlog;
    const isDue = end - endpoint.position >= BATCH || clock() - passed.since >= UNNOTED_MS;
    const isPassing = !isDue && got.length === 0;
    return { ...backlog, isToNote: !(isPassing && this.rememberSkipped(place, { ...passed, end })) };
  }

  /**
   * Creates the deliveries, unless another worker has created some in the meantime.
   * @param endpoint locked by the transaction.
   * @returns whether there may be more now.
   */
  *createDeliveries(
    tx: StorageTransaction,
    place: EndpointRef,
    endpoint: StoredWebhookEndpoint,
    { endpoint: seen, got, end, hasMore }: Backlog,
  ): Step<boolean> {
    const { organizationId, endpointId } = place;
    const { clock: now, uuid } = this.engine;
    if (endpoint.position !== seen.position) return true;
    // Its types may have changed in the meantime: then read the events again.
    if (endpoint.updatedAt !== seen.updatedAt || endpoint.disabledAt !== seen.disabledAt) return true;
    const source = { now, newId: (prefix: "whd") => newId(prefix, uuid) };
    if (got.length > 0) {
      const deliveries = got.map((event) => createDelivery(event, endpoint, source));
      yield* tx.insertDeliveries(organizationId, endpointId, deliveries);
      const before = now() - this.engine.retention.deliveryMs;
      yield* tx.removeDeliveries(organizationId, endpointId, before, deliveries.length * REMOVED_WITH_EACH);
    }
    yield* tx.updateWebhookEndpoint(organizationId, { ...endpoint, position: end });
    this.passed.delete(keyOf(place));
    return hasMore;
  }

  /** Reads in one snapshot: an event that comes after a change of the types must not be judged by those before. */
  private *readBacklog(reader: StorageReader, place: EndpointRef): Step<Backlog | null> {
    const { organizationId, endpointId } = place;
    const endpoint = yield* reader.findWebhookEndpoint(organizationId, endpointId);
    if (endpoint === null) return null;
    const pending = yield* reader.pendingDeliveries(organizationId);
    const dueAt = pending.get(endpointId)?.dueAt ?? Number.POSITIVE_INFINITY;
    const passed = this.skippedBy(place, endpoint);
    const nothing = {
      endpoint,
      passed,
      got: [],
      end: endpoint.position,
      isToNote: false,
      hasMore: false,
      dueAt,
    };
    const newest = yield* reader.newestEventPosition(organizationId);
    const last = endpoint.disabledAt === null ? newest : (endpoint.lastPosition ?? endpoint.position);
    if (last <= endpoint.position) return nothing;
    const room = countRemainingCapacity(pending, endpointId, this.engine.limits);
    if (room === 0) return nothing;
    const events = (yield* reader.listEventHeads(organizationId, null, passed.end, BATCH)).filter(
      ({ position }) => position <= last,
    );
    const wanted = events.filter((event) => isSubscribed(endpoint, event));
    const got = wanted.slice(0, room);
    const isFull = got.length < wanted.length;
    // There may be none left: age removes them also before they are delivered.
    const readUpTo = events.length === BATCH ? (events.at(-1)?.position ?? last) : last;
    const end = isFull ? (got.at(-1)?.position ?? endpoint.position) : Math.max(readUpTo, passed.end);
    return { ...nothing, got, end, hasMore: !isFull && events.length === BATCH };
  }

  private skippedBy(place: EndpointRef, { position }: StoredWebhookEndpoint): SkippedRange {
    const passed = this.passed.get(keyOf(place));
    return passed?.position === position ? passed : { position, end: position, since: this.engine.clock() };
  }

  /** @returns false if the memory is full of positions that aren't due to be written. */
  private rememberSkipped(place: EndpointRef, passed: SkippedRange): boolean {
    const key = keyOf(place);
    this.passed.delete(key);
    const [oldest] = this.passed;
    if (this.passed.size === MAX_REMEMBERED && oldest !== undefined) {
      if (this.engine.clock() - oldest[1].since < UNNOTED_MS) return false;
      this.passed.delete(oldest[0]);
    }
    this.passed.set(key, passed);
    return true;
  }
}

function keyOf({ organizationId, endpointId }: EndpointRef): string {
  return JSON.stringify([organizationId, endpointId]);
}

function isSubscribed({ types }: StoredWebhookEndpoint, { type }: EventHead): boolean {
  return types === null || types.includes(type);
}
