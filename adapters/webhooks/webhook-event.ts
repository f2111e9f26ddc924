import type { EventData } from "../../src/resources/event-data.js";
import type { WebhookEndpoint } from "../../src/resources/webhook-endpoint.js";

/** The data of every event type that is sent, including types that only webhooks have. */
export interface WebhookEventData extends EventData {
  /** A test event, sent on demand. */
  "webhook.test": WebhookEndpoint;
}

/** Every event type that endpoints receive. */
export type WebhookEventType = keyof WebhookEventData;

/**
 * An event as endpoints receive it, discriminated by `type`. A later release may send types that this one doesn't know, so a
 * `switch` must ignore unknown types.
 */
export type WebhookEvent = { readonly [K in WebhookEventType]: EventOf<K> }[WebhookEventType];

interface EventOf<K extends WebhookEventType> {
  /** The same for all deliveries of the event; also sent as `webhook-id`. */
  readonly id: string;
  readonly type: K;
  /** When the event occurred, in ISO 8601. */
  readonly timestamp: string;
  readonly data: WebhookEventData[K];
}
