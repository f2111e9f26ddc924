import * as z from "zod";
import { eventTypes, isEventType } from "../base/event-types.js";
import { limitedList } from "../base/fields/limited-list.js";
import { text, wireTimestamp } from "../base/fields/text.js";
import { timesOf, timestampOrNull } from "../base/values/clock.js";
import { MAX_URL_LENGTH, parseWebhookUrl } from "../base/values/webhook-url.js";
import type { StoredWebhookEndpoint } from "../storage/webhooks.js";

const MAX_TYPES = 100;

const WRONG_URL = `must be an https URL of a public host, without credentials or fragment, at most ${MAX_URL_LENGTH} characters long`;

const url = z.string().meta({ maxLength: MAX_URL_LENGTH, format: "uri" });
const description = text(500);
const types = limitedList(z.enum(eventTypes), MAX_TYPES);

export const webhookEndpointSchema = z
  .object({
    id: z.string(),
    object: z.literal("webhook_endpoint"),
    url: z.string(),
    description: z.string().nullable(),
    types: z.array(z.enum(eventTypes)).nullable(),
    isDisabled: z.boolean(),
    disabledReason: z.enum(["requested", "gone", "failing"]).nullable(),
    disabledAt: wireTimestamp.nullable(),
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "WebhookEndpoint" });

/** A webhook endpoint, without its secret. It receives events of the given `types`, or of all types if `types` is `null`. */
export type WebhookEndpoint = z.output<typeof webhookEndpointSchema>;

export const webhookEndpointWithSecretSchema = z
  .object({ secret: z.string(), webhookEndpoint: webhookEndpointSchema })
  .meta({ id: "WebhookEndpointWithSecret" });

/** An endpoint with its signing secret, which is shown only once. */
export type WebhookEndpointWithSecret = z.output<typeof webhookEndpointWithSecretSchema>;

export const createWebhookEndpointSchema = z
  .object({ url, types: types.nullish(), description: description.nullish() })
  .meta({ id: "CreateWebhookEndpoint" });

/** The input for creating an endpoint. If `types` is omitted, the endpoint receives events of all types. */
export type CreateWebhookEndpoint = z.input<typeof createWebhookEndpointSchema>;

/**
 * The schema for changes to an endpoint. Only the given fields change. `types: null` selects all types, and `description: null`
 * clears the description.
 */
export const updateWebhookEndpointSchema = z
  .object({
    url: url.optional(),
    types: types.nullable().optional(),
    description: description.nullable().optional(),
    isDisabled: z.boolean().optional(),
  })
  .meta({ id: "UpdateWebhookEndpoint" });

export type UpdateWebhookEndpoint = z.input<typeof updateWebhookEndpointSchema>;

/** Builds the schema for a webhook's URL. Parsing returns the URL as it is stored. */
export function webhookUrl(allowsLoopback: boolean) {
  return url.transform((value, context) => {
    const allowed = parseWebhookUrl(value, allowsLoopback);
    if (allowed !== null) return allowed;
    context.addIssue({ code: "custom", message: WRONG_URL, input: value });
    return z.NEVER;
  });
}

export function webhookEndpointOf(endpoint: StoredWebhookEndpoint): WebhookEndpoint {
  return {
    id: endpoint.id,
    object: "webhook_endpoint",
    url: endpoint.url,
    description: endpoint.description,
    types: endpoint.types?.filter(isEventType) ?? null,
    isDisabled: endpoint.disabledAt !== null,
    disabledReason: endpoint.disabledReason,
    disabledAt: timestampOrNull(endpoint.disabledAt),
    ...timesOf(endpoint),
  };
}
