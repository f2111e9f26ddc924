import * as z from "zod";
import { eventTypes } from "../base/event-types.js";
import { instantText } from "../base/fields/instant.js";
import { text, wireTimestamp } from "../base/fields/text.js";
import { onAnyObject } from "../base/parse.js";
import { timesOf, timestamp, timestampOrNull } from "../base/values/clock.js";
import type { StoredAttempt, StoredDelivery } from "../storage/webhooks.js";

const MAX_LIMIT = 200;

export const webhookAttemptSchema = z
  .object({
    number: z.int().min(1),
    startedAt: wireTimestamp,
    duration: z.int().min(0),
    status: z.int().nullable(),
    answer: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: "WebhookAttempt" });

/**
 * One attempt at a delivery, with its duration in milliseconds. It includes either the response's status and the beginning of its
 * body, or the reason why there was no response.
 */
export type WebhookAttempt = z.output<typeof webhookAttemptSchema>;

const deliveryStatus = z.enum(["pending", "delivered", "failed"]);

export const webhookDeliverySchema = z
  .object({
    id: z.string(),
    object: z.literal("webhook_delivery"),
    webhookEndpointId: z.string(),
    eventId: z.string(),
    eventType: z.string().meta({ enum: [...eventTypes, "webhook.test"] }),
    status: deliveryStatus,
    attempts: z.array(webhookAttemptSchema),
    nextAttemptAt: wireTimestamp.nullable(),
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "WebhookDelivery" });

/**
 * The delivery of one event to one endpoint. `nextAttemptAt` is `null` unless the delivery is pending. While an attempt is in
 * progress, `nextAttemptAt` is the time when the worker's claim expires.
 */
export type WebhookDelivery = z.output<typeof webhookDeliverySchema>;

export const webhookDeliveryPageSchema = z
  .object({ content: z.array(webhookDeliverySchema), next: z.string().nullable() })
  .meta({ id: "WebhookDeliveryPage" });

/** A page of deliveries, newest first. Pass `next` as `after` to get the next page. `next` is `null` on the last page. */
export type WebhookDeliveryPage = z.output<typeof webhookDeliveryPageSchema>;

/** The pattern of a cursor: the time and the ID of the previous page's last delivery. */
const cursorPattern = /^([0-9]{1,15})\.([\x21-\x7e]{1,100})$/;

export const deliveryQuerySchema = z.object({
  after: z.string().regex(cursorPattern, { error: "must be the `next` value of an earlier page" }).optional(),
  limit: z.int().min(1).max(MAX_LIMIT).default(50),
  status: deliveryStatus.optional(),
});

export type DeliveryListQuery = z.input<typeof deliveryQuerySchema>;

/** Identifies the last delivery on a page. The next page starts after it. */
export interface DeliveryCursor {
  readonly createdAt: number;
  readonly id: string;
}

export function formatDeliveryCursor({ createdAt, id }: DeliveryCursor): string {
  return `${createdAt}.${id}`;
}

/** Parses a cursor. Returns `null`, which means the start of the list, if `after` is omitted. */
export function parseDeliveryCursor(after: string | undefined): DeliveryCursor | null {
  const [, createdAt, id] = cursorPattern.exec(after ?? "") ?? [];
  return id === undefined ? null : { createdAt: Number(createdAt), id };
}

/** The schema for a replay. It requires exactly one of `deliveryId`, `eventId`, and `since`. */
export const replaySchema = z
  .object({
    deliveryId: text().optional(),
    eventId: text().optional(),
    since: instantText.optional(),
    until: instantText.optional(),
  })
  .superRefine(({ deliveryId, eventId, since, until }, context) => {
    const selectors = [deliveryId, eventId, since ?? until].filter((selector) => selector !== undefined);
    const addIssue = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (selectors.length !== 1)
      addIssue("deliveryId", "is required unless you give eventId, or since and until, instead");
    else if (since !== undefined && until === undefined) addIssue("until", "is required with since");
    else if (since === undefined && until !== undefined) addIssue("since", "is required with until");
    else if (Date.parse(String(since)) >= Date.parse(String(until))) addIssue("until", "must be after since");
  }, onAnyObject)
  .meta({
    id: "Replay",
    oneOf: [{ required: ["deliveryId"] }, { required: ["eventId"] }, { required: ["since", "until"] }],
  });

/**
 * Selects the events to send again. Requires exactly one of `deliveryId` (the event from an earlier delivery or test), `eventId`
 * (any event in the outbox), and `since` (all events from `since`, inclusive, to `until`, exclusive). `since` and `until` are ISO
 * 8601 timestamps.
 */
export type Replay = z.input<typeof replaySchema>;

export const replayResultSchema = z.object({ deliveries: z.int().min(0) }).meta({ id: "ReplayResult" });

/** The result of a replay: the number of deliveries created. */
export type ReplayResult = z.output<typeof replayResultSchema>;

/**
 * Converts a stored delivery to the API resource.
 * @param attempts the recorded attempts, which must include all of this delivery's attempts. Attempts at other deliveries are
 *   ignored.
 */
export function toWebhookDelivery(
  delivery: StoredDelivery,
  attempts: readonly StoredAttempt[],
): WebhookDelivery {
  return {
    id: delivery.id,
    object: "webhook_delivery",
    webhookEndpointId: delivery.endpointId,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    status: delivery.status,
    attempts: attempts.filter(({ deliveryId }) => deliveryId === delivery.id).map(toWebhookAttempt),
    nextAttemptAt: timestampOrNull(delivery.nextAttemptAt),
    ...timesOf(delivery),
  };
}

function toWebhookAttempt({
  number,
  startedAt,
  duration,
  status,
  response,
  error,
}: StoredAttempt): WebhookAttempt {
  return { number, startedAt: timestamp(startedAt), duration, status, answer: response, error };
}
