import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError, notFound, validationFailed } from "../base/errors.js";
import type { Tenant } from "../kernel/tenant.js";
import type { EventHead } from "../storage/events.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredWebhookEndpoint } from "../storage/webhooks.js";
import type { Replay } from "./delivery-schema.js";
import { findPositionBefore } from "./events.js";
import { assertEnabled, countRemainingCapacity, createDelivery, type EventSource } from "./fan-out.js";

const MAX_EVENTS = 10_000;

const TOO_MANY_EVENTS = `must be earlier: there are more than ${MAX_EVENTS} events between since and until`;

/** Number of events per read and per write. */
export const REPLAY_BATCH_SIZE = 500;

/**
 * Maximum time by which events may be out of order, in milliseconds. Events are stored in commit order, but their timestamps are
 * taken before the commit and by the clocks of several machines.
 */
const MAX_DISORDER_MS = 60_000;

/** An event to send again, with its request body if the event was never in the outbox. */
export interface ReplayedEvent {
  readonly event: EventSource;
  readonly customBody: string | null;
}

/** A replay to an endpoint. */
interface EndpointReplay {
  readonly endpoint: StoredWebhookEndpoint;
  readonly replay: Replay;
  /** The event that `eventId` refers to, or `null` if it wasn't found or the replay has no `eventId`. */
  readonly byId: EventHead | null;
}

/**
 * Finds the events to send again.
 * @throws {LoyaltyError} `resource_not_found` if the delivery or event doesn't exist, or `validation_failed` on `until` if the
 *   range contains too many events.
 */
export function* findEventsToReplay(
  { organizationId }: Tenant,
  reader: StorageReader,
  request: EndpointReplay,
): Step<readonly ReplayedEvent[]> {
  const {
    endpoint,
    replay: { since, until },
  } = request;
  if (since === undefined || until === undefined)
    return [yield* findSingleEvent(reader, organizationId, request)];
  const [from, to] = [Date.parse(since), Date.parse(until)];
  const eventsToReplay: ReplayedEvent[] = [];
  let after = yield* findPositionBefore(reader, from - MAX_DISORDER_MS);
  const end = yield* findPositionBefore(reader, to + MAX_DISORDER_MS);
  while (after < end) {
    const events = yield* reader.listEventHeads(endpoint.types, after, REPLAY_BATCH_SIZE);
    for (const event of events) {
      const { position, createdAt } = event;
      if (position <= end && createdAt >= from && createdAt < to)
        eventsToReplay.push({ event, customBody: null });
    }
    if (eventsToReplay.length > MAX_EVENTS) throw validationFailed({ until: TOO_MANY_EVENTS });
    after = events.length < REPLAY_BATCH_SIZE ? end : (events.at(-1)?.position ?? end);
  }
  return eventsToReplay;
}

/**
 * Inserts new deliveries for earlier events.
 * @param endpoint the endpoint, which the transaction has locked.
 * @param total the total number of deliveries in the replay, including those that later transactions insert.
 * @throws {LoyaltyError} `webhook_endpoint_disabled` or `too_many_pending_deliveries`.
 */
export function* insertReplays(
  tenant: Tenant,
  tx: StorageTransaction,
  endpoint: StoredWebhookEndpoint,
  { events, total }: { readonly events: readonly ReplayedEvent[]; readonly total: number },
): Step<void> {
  const { engine } = tenant;
  assertEnabled(endpoint);
  const remainingCapacity = countRemainingCapacity(
    yield* tx.pendingDeliveries(),
    endpoint.id,
    engine.config.limits,
  );
  if (total > remainingCapacity) throw createLoyaltyError("too_many_pending_deliveries");
  const deliveries = events.map(({ event, customBody }) =>
    createDelivery(event, endpoint, tenant, customBody),
  );
  yield* tx.insertDeliveries(endpoint.id, deliveries);
}

/**
 * Finds the one event that the replay names by delivery or event ID. An event that was never in the outbox is built from its
 * delivery.
 */
function* findSingleEvent(
  reader: StorageReader,
  organizationId: string,
  { endpoint, replay: { deliveryId, eventId }, byId }: EndpointReplay,
): Step<ReplayedEvent> {
  const delivery = deliveryId === undefined ? null : yield* reader.findDelivery(deliveryId);
  if (deliveryId !== undefined && delivery?.endpointId !== endpoint.id)
    throw notFound("webhook_delivery", deliveryId, organizationId);
  if (delivery !== null && delivery.customBody !== null) {
    const { eventId: id, eventType: type, eventPosition: position } = delivery;
    return { event: { id, type, position }, customBody: delivery.customBody };
  }
  const [id, position] =
    delivery === null ? [byId?.id, byId?.position] : [delivery.eventId, delivery.eventPosition];
  const [event] = position == null ? [] : yield* reader.eventsAt([position]);
  if (event === undefined || event.id !== id)
    throw notFound("event", delivery?.eventId ?? eventId, organizationId);
  return { event, customBody: null };
}
