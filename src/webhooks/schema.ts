import * as z from "zod";
import { eventTypes, isEventType } from "../base/event-types.js";
import { limitedList } from "../base/fields/limited-list.js";
import { text, wireTimestamp } from "../base/fields/text.js";
import { timesOf, timestampOrNull } from "../base/values/clock.js";
import { isLoopbackAddress, isPublicAddress } from "../base/values/networks.js";
import { parseUrl } from "../base/values/url.js";
import type { StoredWebhookEndpoint } from "../storage/webhooks.js";

const MAX_URL_LENGTH = 2_048;

/**
 * Parses and normalizes a webhook URL. Returns `null` if the URL isn't allowed for webhooks. The URL must use HTTPS, must not
 * contain credentials or a fragment, and must have a name or a public IP address as its host. Decimal, hexadecimal, and other
 * notations for IP addresses are normalized before the check. If the host is a name, its addresses are checked later, when a
 * connection is made.
 * @param allowsLoopback whether to also allow URLs that point to this machine, even over plain HTTP.
 */
export function parseWebhookUrl(text: string, allowsLoopback: boolean): string | null {
  const url = text.length > MAX_URL_LENGTH ? null : parseUrl(text);
  if (url === null) return null;
  const { href, hostname } = url;
  if (url.username !== "" || url.password !== "" || href.includes("#") || hostname.endsWith(".")) return null;
  const protocols = isLoopback(hostname) ? (allowsLoopback ? ["https:", "http:"] : []) : ["https:"];
  const isAllowed = protocols.includes(url.protocol) && (isLoopback(hostname) || !isPrivate(hostname));
  return isAllowed && href.length <= MAX_URL_LENGTH ? href : null;
}

function isLoopback(host: string): boolean {
  const address = extractIpAddress(host);
  return address === null ? /(?:^|\.)localhost$/.test(host) : isLoopbackAddress(address);
}

function isPrivate(host: string): boolean {
  const address = extractIpAddress(host);
  return address !== null && !isPublicAddress(address);
}

/**
 * Returns the host's IP address, or `null` if the host is a name.
 * @param host a host normalized by the URL Standard, which converts every host that ends like an IPv4 address to one.
 */
function extractIpAddress(host: string): string | null {
  if (host.startsWith("[")) return host.slice(1, -1);
  return /^[0-9]+(?:\.[0-9]+){3}$/.test(host) ? host : null;
}

const MAX_TYPES = 100;

const INVALID_URL_MESSAGE = `must be an https URL of a public host, without credentials or fragment, at most ${MAX_URL_LENGTH} characters long`;

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
 * The schema for endpoint updates. Only the given fields change. `types: null` selects all types, and `description: null` clears
 * the description.
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

/** Builds the schema for a webhook URL. Parsing returns the normalized URL, as it is stored. */
export function buildWebhookUrlSchema(allowsLoopback: boolean) {
  return url.transform((value, context) => {
    const normalizedUrl = parseWebhookUrl(value, allowsLoopback);
    if (normalizedUrl !== null) return normalizedUrl;
    context.addIssue({ code: "custom", message: INVALID_URL_MESSAGE, input: value });
    return z.NEVER;
  });
}

export function toWebhookEndpoint(endpoint: StoredWebhookEndpoint): WebhookEndpoint {
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
