import type * as z from "zod";
import { IDEMPOTENCY_KEY, LOYALTY_ACTOR } from "../request/http-message.js";
import { describeField } from "./field-descriptions.js";

/** An OpenAPI 3.1 schema (JSON Schema, draft 2020-12). */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Part of an OpenAPI document. */
export type OpenApiNode = Readonly<Record<string, unknown>>;

const inPath: Readonly<Record<string, string>> = {
  eventId: "The id of the event.",
  appId: "The id of the app, its `client_id`.",
  grantId: "The id of the grant.",
  id: "The id of the API token.",
  personId: "The id of the person.",
  sessionId: "The id of the session.",
  slug: "The slug of the tag.",
  tagSlug: "The slug of the tag.",
  segmentSlug: "The slug of the segment.",
  templateId: "The id of the template.",
  userId: "The user's id or external id.",
  walletPassId: "The id of the pass.",
  webhookEndpointId: "The id of the webhook endpoint.",
  messageId: "The id of the message.",
  automationId: "The id of the automation.",
  messageDeliveryId: "The id of the mail delivery.",
};

/** The `Idempotency-Key` header parameter, which every POST accepts. */
export const idempotencyKeyParameter = {
  name: IDEMPOTENCY_KEY,
  in: "header",
  required: false,
  description:
    "Runs the call only once for this key: for 24 hours, repeats return the first response, with `Idempotency-Replayed: true`.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** The `Loyalty-Actor` header parameter, which every call that may change something accepts. */
export const actorParameter = {
  name: LOYALTY_ACTOR,
  in: "header",
  required: false,
  description:
    "Who the call is made for, recorded with its changes: `subject`, `location` and `receipt`, 1 to 255 characters each, in query-string form. Requires the scope `actor:write`.",
  schema: { type: "string" },
  example: "subject=anna&location=Harbour+Street&receipt=4711",
};

/** The `Prefer` header parameter, which every call accepts. */
export const preferParameter = {
  name: "Prefer",
  in: "header",
  required: false,
  description:
    "`handling=strict` (RFC 7240) rejects unknown body fields and parameters with 422. By default they are ignored.",
  schema: { type: "string" },
  example: "handling=strict",
};

/** Describes a path's parameters, in order. */
export function pathParameters(path: string) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: inPath[name],
    schema: { type: "string", minLength: 1 },
  }));
}

/**
 * Describes query parameters.
 * @param query an object schema with one field per parameter.
 */
export function queryParameters({ properties = {}, required = [] }: JsonSchema): object[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    description: describeField(name, "Query"),
    schema,
    ...(typeof schema === "object" && schema.type === "array" && { style: "form", explode: false }),
  }));
}

/** Headers sent with every response to a request with a valid token while rate limits are on. Operations reference them. */
export const sharedHeaders: OpenApiNode = {
  RateLimit: header(
    "With rate limits on: the requests left (`r`) in the window that ends in `t` seconds.",
    '"default";r=999;t=60',
  ),
  "RateLimit-Policy": header(
    "With rate limits on: the requests allowed (`q`) in a window of `w` seconds.",
    '"default";q=1000;w=60',
  ),
};

/** References to {@link sharedHeaders}, which let the document describe each header only once. */
export const referencesToShared: OpenApiNode = Object.fromEntries(
  Object.keys(sharedHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** The header that marks a response as a repeat of an earlier response for the same idempotency key. */
export const replayedHeader: OpenApiNode = {
  "Idempotency-Replayed": header(
    "`true` if this is the stored response to an earlier request with the same key.",
    "true",
  ),
};

/** Describes a header with a string value. */
export function header(description: string, example: string): OpenApiNode {
  return { description, schema: { type: "string" }, example };
}
