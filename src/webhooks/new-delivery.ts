import { createLoyaltyError } from "../errors.js";
import { actorOf } from "../resources/actor.js";
import type { EventHead, NewEvent } from "../storage/events.js";
import type { NewDelivery, PendingDeliveries, StoredWebhookEndpoint } from "../storage/webhooks.js";
import type { Limits } from "../tenant/limits.js";
import type { Tenant } from "../tenant/tenant.js";
import { timestamp } from "../values/clock.js";

/** Makes the body of an event: its envelope as the interface shows it, with the data to the letter. */
export function formatEventBody(event: NewEvent): string {
  const { id, type, createdAt, data } = event;
  const envelope = JSON.stringify({ id, type, timestamp: timestamp(createdAt), actor: actorOf(event) });
  return `${envelope.slice(0, -1)},"data":${data}}`;
}

/** An event to deliver. Its position is `null` if it is not in the outbox. */
export type EventSource = Pick<EventHead, "id" | "type"> & { readonly position: number | null };

/**
 * Creates a delivery of an event, due now.
 * @param customBody of an event that is not in the outbox.
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

/** @throws {LoyaltyError} `webhook_endpoint_disabled`. */
export function assertEnabled({ disabledAt }: StoredWebhookEndpoint): void {
  if (disabledAt !== null) throw createLoyaltyError("webhook_endpoint_disabled");
}

/**
 * Counts for how many more deliveries there is room at an endpoint and in its organization. Transactions that count side by side
 * may fill the same room.
 * @param pending of the organization's endpoints, by their ids.
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
