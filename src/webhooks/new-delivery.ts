import { createLoyaltyError } from "../errors.js";
import { actorOf } from "../resources/actor.js";
import type { EventHead, NewEvent } from "../storage/events.js";
import type { NewDelivery, PendingDeliveries, StoredWebhookEndpoint } from "../storage/webhooks.js";
import type { Limits } from "../tenant/limits.js";
import type { Tenant } from "../tenant/tenant.js";
import { timestamp } from "../values/clock.js";

/** Formats an event's request body: its envelope as the API shows it, with the stored data unchanged. */
export function formatEventBody(event: NewEvent): string {
  const { id, type, createdAt, data } = event;
  const envelope = JSON.stringify({ id, type, timestamp: timestamp(createdAt), actor: actorOf(event) });
  return `${envelope.slice(0, -1)},"data":${data}}`;
}

/** An event to deliver. Its position is `null` if the event is not in the outbox. */
export type EventSource = Pick<EventHead, "id" | "type"> & { readonly position: number | null };

/**
 * Creates a delivery for an event, due now.
 * @param customBody the body of an event that is not in the outbox.
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

/**
 * Throws if the endpoint is disabled.
 * @throws {LoyaltyError} `webhook_endpoint_disabled`.
 */
export function assertEnabled({ disabledAt }: StoredWebhookEndpoint): void {
  if (disabledAt !== null) throw createLoyaltyError("webhook_endpoint_disabled");
}

/**
 * Returns how many more deliveries the endpoint and its organization have room for. Concurrent transactions don't see each other's
 * deliveries, so together they may exceed the limit.
 * @param pending the organization's pending deliveries, keyed by endpoint id.
 */
export function countRemainingCapacity(
  pending: ReadonlyMap<string, PendingDeliveries>,
  endpointId: string,
  { pendingDeliveries, pendingDeliveriesPerEndpoint }: Limits,
): number {
  let total = 0;
  for (const { count } of pending.values()) total += count;
  const ofEndpoint = pending.get(endpointId)?.count ?? 0;
  return Math.max(0, Math.min(pendingDeliveries - total, pendingDeliveriesPerEndpoint - ofEndpoint));
}
