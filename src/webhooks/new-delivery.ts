import { actorOf } from "../access/actor-schema.js";
import { createLoyaltyError } from "../base/errors.js";
import { timestamp } from "../base/values/clock.js";
import type { Limits } from "../kernel/limits.js";
import type { Tenant } from "../kernel/tenant.js";
import type { EventHead, NewEvent } from "../storage/events.js";
import type { NewDelivery, PendingDeliveries, StoredWebhookEndpoint } from "../storage/webhooks.js";

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
  const ofEndpoint = pending.get(endpointId)?.count ?? 0;
  return Math.max(0, Math.min(pendingDeliveries - total, pendingDeliveriesPerEndpoint - ofEndpoint));
}
