import { failure } from "../errors.js";
import { actorOf } from "../resources/actor.js";
import type { EventHead, NewEvent } from "../storage/events.js";
import type { NewDelivery, StoredWebhookEndpoint } from "../storage/webhooks.js";
import type { Tenant } from "../tenant/tenant.js";
import { timestamp } from "../values/clock.js";

/** What is sent of an event, however often and to whomever: its envelope as the interface shows it, with the data to the letter. */
export function bodyOf(event: NewEvent): string {
  const { id, type, createdAt, data } = event;
  const envelope = JSON.stringify({ id, type, timestamp: timestamp(createdAt), actor: actorOf(event) });
  return `${envelope.slice(0, -1)},"data":${data}}`;
}

/**
 * A delivery of an event, due at once.
 * @param ownBody of an event that is not in the outbox.
 */
export function deliveryOf(
  { id: eventId, type: eventType }: Pick<EventHead, "id" | "type">,
  { id: endpointId }: Pick<StoredWebhookEndpoint, "id">,
  source: Pick<Tenant, "newId" | "now">,
  ownBody: string | null = null,
): NewDelivery {
  const now = source.now();
  const id = source.newId("whd");
  return { id, endpointId, eventId, eventType, ownBody, nextAttemptAt: now, createdAt: now };
}

/** @throws {LoyaltyError} `webhook_endpoint_disabled`. */
export function refuseDisabled({ disabledAt }: StoredWebhookEndpoint): void {
  if (disabledAt !== null) throw failure("webhook_endpoint_disabled");
}
