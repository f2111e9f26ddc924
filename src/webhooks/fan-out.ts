import type { Outbox } from "../events/outbox.js";
import type { StoredEvent } from "../storage/events.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { EndpointToServe, StoredWebhookEndpoint } from "../storage/webhooks.js";
import type { Engine } from "../tenant/engine.js";
import { newId } from "../values/ids.js";
import { deliveryOf, messageOf } from "./message.js";

/** How many events are looked at in one go. */
const LOOKED_AT = 500;

/** For how long events that an endpoint does not get may go unnoted in its position, in milliseconds. */
const UNNOTED_MS = 10_000;

/** How many endpoints are remembered: what another one has passed is noted in its position at once. */
const MAX_REMEMBERED = 10_000;

/** How many deliveries that need not be kept go with each new one, so that they never pile up. */
const REMOVED_WITH_EACH = 2;

/** What was looked at in vain: an event that an endpoint does not get costs no write. */
interface Passed {
  /** The endpoint's position at that time. */
  readonly position: number;
  readonly end: number;
  readonly since: number;
}

/** An endpoint and what came after its position, as they were at one time. */
interface Look {
  readonly endpoint: StoredWebhookEndpoint;
  readonly passed: Passed;
  readonly newest: number;
  readonly events: readonly StoredEvent[];
}

/** Makes deliveries of events. */
export class FanOut {
  private readonly passed = new Map<string, Passed>();

  constructor(
    private readonly engine: Engine,
    private readonly outbox: Outbox,
  ) {}

  /** Makes deliveries of the events that an endpoint has not got yet. @returns whether there may be more. */
  async run(place: EndpointToServe): Promise<boolean> {
    const { storage, clock } = this.engine;
    const look = await storage.snapshot((reader) => this.look(reader, place));
    if (look === null) return false;
    const { endpoint, passed, newest, events } = look;
    // There may be none left: age removes them also before they are delivered.
    const end = events.at(-1)?.position ?? Math.max(newest, passed.end);
    const hasMore = events.length === LOOKED_AT;
    const isDue = end - endpoint.position >= LOOKED_AT || clock() - passed.since >= UNNOTED_MS;
    const isPassing = !isDue && !events.some((event) => gets(endpoint, event));
    if (isPassing && this.remember(place, { ...passed, end })) return hasMore;
    const isMoreLeft = await storage.transaction((tx) =>
      this.make(tx, place, endpoint.position, events, end),
    );
    this.passed.delete(keyOf(place));
    return isMoreLeft;
  }

  /**
   * In one snapshot: an event that comes after a change of the types must not be judged by those before.
   * @returns `null` when there is nothing to do.
   */
  private async look(reader: StorageReader, place: EndpointToServe): Promise<Look | null> {
    const { organizationId, endpointId } = place;
    const endpoint = await reader.findWebhookEndpoint(organizationId, endpointId);
    if (endpoint === null || endpoint.disabledAt !== null) return null;
    const newest = await reader.newestEventPosition(organizationId);
    if (newest <= endpoint.position) return null;
    const passed = this.passedBy(place, endpoint);
    const events = await reader.listEvents(organizationId, null, passed.end, LOOKED_AT);
    return { endpoint, passed, newest, events };
  }

  /**
   * Makes none when another worker has made deliveries meanwhile, or another transaction has the endpoint locked.
   * @returns whether there may be more now.
   */
  private async make(
    tx: StorageTransaction,
    { organizationId, endpointId }: EndpointToServe,
    position: number,
    events: readonly StoredEvent[],
    end: number,
  ): Promise<boolean> {
    const { clock: now, uuid } = this.engine;
    const endpoint = await tx.lockWebhookEndpoint(organizationId, endpointId, false);
    if (endpoint === null || endpoint.disabledAt !== null) return false;
    if (endpoint.position !== position) return true;
    const source = { now, newId: (prefix: "whd") => newId(prefix, uuid) };
    const deliveries = events
      .filter((event) => gets(endpoint, event))
      .map((event) => deliveryOf(messageOf(event), endpoint, source));
    if (deliveries.length > 0) {
      await tx.insertDeliveries(organizationId, endpointId, deliveries);
      const before = now() - this.outbox.keepMs;
      await tx.removeDeliveries(organizationId, endpointId, before, deliveries.length * REMOVED_WITH_EACH);
    }
    await tx.updateWebhookEndpoint(organizationId, { ...endpoint, position: end });
    return events.length === LOOKED_AT;
  }

  private passedBy(place: EndpointToServe, { position }: StoredWebhookEndpoint): Passed {
    const passed = this.passed.get(keyOf(place));
    return passed?.position === position ? passed : { position, end: position, since: this.engine.clock() };
  }

  /** @returns whether there was room: only what is due to be noted gives way. */
  private remember(place: EndpointToServe, passed: Passed): boolean {
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

function keyOf({ organizationId, endpointId }: EndpointToServe): string {
  return JSON.stringify([organizationId, endpointId]);
}

function gets({ types }: StoredWebhookEndpoint, { type }: StoredEvent): boolean {
  return types === null || types.includes(type);
}
