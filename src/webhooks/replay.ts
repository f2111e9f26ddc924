import { invalid, notFound } from "../errors.js";
import type { Replay } from "../resources/webhook-delivery.js";
import type { StoredEvent } from "../storage/events.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredWebhookEndpoint } from "../storage/webhooks.js";
import type { Tenant } from "../tenant/tenant.js";
import { deliveryOf, type Message, messageOf, refuseDisabled } from "./message.js";

const MAX_EVENTS = 10_000;

const TOO_MANY = `must be earlier: there are over ${MAX_EVENTS} events between since and until`;

/** How many events are read and written at a time. */
const BATCH = 500;

/**
 * Events are in the order of their commits. By their times, which are taken before that and by the clocks of several
 * machines, they may be out of order by so much, in milliseconds.
 */
const DISORDER_MS = 60_000;

/**
 * Makes deliveries of earlier events.
 * @param endpoint locked by the transaction.
 * @returns how many.
 * @throws {LoyaltyError} `resource_not_found` for a delivery or an event; `webhook_endpoint_disabled`;
 *   `validation_failed` on `until` for too many events.
 */
export async function replayTo(
  endpoint: StoredWebhookEndpoint,
  replay: Replay,
  tx: StorageTransaction,
  tenant: Tenant,
): Promise<number> {
  const { organizationId } = tenant;
  const { since, until } = replay;
  const send = (messages: readonly Message[]) => {
    const deliveries = messages.map((message) => deliveryOf(message, endpoint, tenant));
    return tx.insertDeliveries(organizationId, endpoint.id, deliveries);
  };
  if (since === undefined || until === undefined) {
    const message = await findMessage(tx, organizationId, endpoint, replay);
    refuseDisabled(endpoint);
    await send([message]);
    return 1;
  }
  refuseDisabled(endpoint);
  let sent = 0;
  const range = { from: Date.parse(since), to: Date.parse(until) };
  for await (const events of eventsOf(tx, organizationId, endpoint.types, range)) {
    sent += events.length;
    if (sent > MAX_EVENTS) throw invalid({ until: TOO_MANY });
    await send(events.map(messageOf));
  }
  return sent;
}

/** What a delivery sent can be sent again also when the outbox does not have its event any more. */
async function findMessage(
  reader: StorageReader,
  organizationId: string,
  endpoint: StoredWebhookEndpoint,
  { deliveryId, eventId }: Replay,
): Promise<Message> {
  if (deliveryId !== undefined) {
    const delivery = await reader.findDelivery(organizationId, deliveryId);
    if (delivery === null || delivery.endpointId !== endpoint.id) throw notFound();
    return delivery;
  }
  const event = eventId === undefined ? null : await reader.findEvent(organizationId, eventId);
  if (event === null) throw notFound();
  return messageOf(event);
}

/** From a time to before another, in milliseconds since the Unix epoch. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** The events of a time, some at a time. */
async function* eventsOf(
  reader: StorageReader,
  organizationId: string,
  types: readonly string[] | null,
  { from, to }: Range,
): AsyncGenerator<StoredEvent[]> {
  let after = await positionBefore(reader, organizationId, from - DISORDER_MS);
  const end = await positionBefore(reader, organizationId, to + DISORDER_MS);
  while (after < end) {
    const events = await reader.listEvents(organizationId, types, after, BATCH);
    const found = events.filter(
      ({ position, createdAt }) => position <= end && createdAt >= from && createdAt < to,
    );
    if (found.length > 0) yield found;
    after = events.length < BATCH ? end : (events.at(-1)?.position ?? end);
  }
}

/** The position after which the events of a time and later ones are, found by halving. */
async function positionBefore(reader: StorageReader, organizationId: string, time: number): Promise<number> {
  let low = 0;
  let high = await reader.newestEventPosition(organizationId);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = await reader.listEvents(organizationId, null, middle, 1);
    if (event === undefined || event.createdAt >= time) high = middle;
    else low = event.position;
  }
  return low;
}
