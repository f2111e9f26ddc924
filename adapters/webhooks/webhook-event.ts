import type { EventData } from "../../src/resources/event-data.js";
import type { WebhookEndpoint } from "../../src/resources/webhook-endpoint.js";

/** Every kind of event that is sent and its data, also those that only webhooks have. */
export interface WebhookEventData extends EventData {
  /** A test event, sent on demand. */
  "webhook.test": WebhookEndpoint;
}

/** Every kind of event that endpoints get. */
export type WebhookEventType = keyof WebhookEventData;

/**
 * An event as endpoints get it: tell the kinds apart by `type`. A later release may send kinds that this one does not
 * know, so let a `switch` pass over what it does not name.
 */
export type WebhookEvent = { readonly [K in WebhookEventType]: EventOf<K> }[WebhookEventType];

interface EventOf<K extends WebhookEventType> {
  /** The same for every delivery of the event, and the `webhook-id` of each. */
  readonly id: string;
  readonly type: K;
  /** When it happened, in ISO 8601. */
  readonly timestamp: string;
  readonly data: WebhookEventData[K];
}
