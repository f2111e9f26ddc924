import { failure } from "../errors.js";
import type { NewEvent } from "../storage/events.js";
import type { NewDelivery, StoredWebhookEndpoint } from "../storage/webhooks.js";
import type { Tenant } from "../tenant/tenant.js";
import { timestamp } from "../values/clock.js";

/** What is sent of an event, however often and to whomever. */
export type Message = Pick<NewDelivery, "eventId" | "eventType" | "body">;

/** The envelope of an event as the interface shows it, with the data to the letter. */
export function messageOf({ id, type, createdAt, data }: NewEvent): Message {
  const envelope = JSON.stringify({ id, type, timestamp: timestamp(createdAt) });
  return { eventId: id, eventType: type, body: `${envelope.slice(0, -1)},"data":${data}}` };
}

/** A delivery of a message, due at once. */
export function deliveryOf(
  { eventId, eventType, body }: Message,
  { id: endpointId }: Pick<StoredWebhookEndpoint, "id">,
  source: Pick<Tenant, "newId" | "now">,
): NewDelivery {
  const now = source.now();
  const id = source.newId("whd");
  return { id, endpointId, eventId, eventType, body, nextAttemptAt: now, createdAt: now };
}

/** @throws {LoyaltyError} `webhook_endpoint_disabled`. */
export function refuseDisabled({ disabledAt }: StoredWebhookEndpoint): void {
  if (disabledAt !== null) throw failure("webhook_endpoint_disabled");
}
