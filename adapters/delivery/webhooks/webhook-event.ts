import type { EventData } from "../../../src/webhooks/event-schema.js";
import type { WebhookEndpoint } from "../../../src/webhooks/schema.js";

/** The data for each event type that webhook endpoints can receive, including types that are sent only to webhooks. */
export interface WebhookEventData extends EventData {
  /** A test event, which is sent only on request. Its data is the endpoint that receives it. */
  "webhook.test": WebhookEndpoint;
}

/** The type of an event that webhook endpoints can receive. */
export type WebhookEventType = keyof WebhookEventData;

/**
 * An event as endpoints receive it, discriminated by `type`. Later releases might send types that this release doesn't know, so a
 * `switch` must ignore unknown types.
 */
export type WebhookEvent = { readonly [K in WebhookEventType]: EventOf<K> }[WebhookEventType];

interface EventOf<K extends WebhookEventType> {
  /** The event's ID, which is the same in all of its deliveries. It is also sent as `webhook-id`. */
  readonly id: string;
  /** The type of the event. */
  readonly type: K;
  /** When the event occurred, in ISO 8601 format. */
  readonly timestamp: string;
  /** The resource as it was after the change. */
  readonly data: WebhookEventData[K];
}
