import type * as z from "zod";
import { IDEMPOTENCY_KEY, LOYALTY_ACTOR } from "../request/http-message.js";
import { describeField } from "./field-descriptions.js";

/** An OpenAPI 3.1 schema (JSON Schema, draft 2020-12). */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A part of an OpenAPI document. */
export type OpenApiNode = Readonly<Record<string, unknown>>;

const pathParameterDescriptions: Readonly<Record<string, string>> = {
  eventId: "The event's ID.",
  appId: "The app's ID, which is also its `client_id`.",
  grantId: "The grant's ID.",
  id: "The API token's ID.",
  personId: "The staff member's ID.",
  sessionId: "The session's ID.",
  slug: "The tag's slug.",
  tagSlug: "The tag's slug.",
  segmentSlug: "The segment's slug.",
  source: "The till or shop: 1 to 50 of the characters `a-z`, `0-9`, `.`, `_` and `-`.",
  receipt: "The receipt number at the source, 1 to 255 characters. Encode it, because it may contain `/`.",
  templateId: "The template's ID.",
  userId: "The user's ID or external ID.",
  walletPassId: "The pass's ID.",
  webhookEndpointId: "The webhook endpoint's ID.",
  messageId: "The message's ID.",
  automationId: "The automation's ID.",
  messageDeliveryId: "The email delivery's ID.",
};

/** The `Idempotency-Key` header parameter, accepted by every POST request. */
export const idempotencyKeyParameter = {
  name: IDEMPOTENCY_KEY,
  in: "header",
  required: false,
  description:
    "A unique key that ensures the request is performed only once. For 24 hours, repeated requests with " +
    "the same key return the original response with the header `Idempotency-Replayed: true`.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** The `Loyalty-Actor` header parameter, accepted by every call that can change data. */
export const actorParameter = {
  name: LOYALTY_ACTOR,
  in: "header",
  required: false,
  description:
    "Identifies who the request is made on behalf of, and is recorded with every change that the request " +
    "makes. The value is a query string with the keys `subject`, `location` and `receipt`, each with a " +
    "value of 1 to 255 characters. Requires the `actor:write` scope.",
  schema: { type: "string" },
  example: "subject=anna&location=Harbour+Street&receipt=4711",
};

/** The `Prefer` header parameter, accepted by every call. */
export const preferParameter = {
  name: "Prefer",
  in: "header",
  required: false,
  description:
    "With `handling=strict` (RFC 7240), unknown body fields and parameters are rejected with 422. By " +
    "default, they're ignored.",
  schema: { type: "string" },
  example: "handling=strict",
};

/** Describes a path's parameters, in order of appearance. */
export function buildPathParameters(path: string) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: pathParameterDescriptions[name],
    schema: { type: "string", minLength: 1 },
  }));
}

/**
 * Describes a call's query parameters.
 * @param query an object schema with one field per parameter.
 * @param owner the name under which the sentences about the parameters are found.
 */
export function buildQueryParameters(
  { properties = {}, required = [] }: JsonSchema,
  owner: string,
): object[] {
  return Object.entries(properties).map(([name, field]) => ({
    name,
    in: "query",
    required: required.includes(name),
    description: describeField(name, owner),
    schema: withoutDescription(field),
    ...(typeof field === "object" && field.type === "array" && { style: "form", explode: false }),
  }));
}

/** Removes the sentence about a field that has the same name as the parameter. The parameter has one of its own. */
function withoutDescription(schema: boolean | JsonSchema): boolean | JsonSchema {
  if (typeof schema === "boolean") return schema;
  const { description: _, ...rest } = schema;
  return rest;
}

/**
 * The headers that are included in every response to a request with a valid token, provided that rate limits are enabled.
 * Operations refer to these definitions.
 */
export const sharedHeaders: OpenApiNode = {
  RateLimit: describeHeader(
    "If rate limits are enabled, the number of requests left (`r`) in the window that ends in `t` seconds.",
    '"default";r=999;t=60',
  ),
  "RateLimit-Policy": describeHeader(
    "If rate limits are enabled, the number of requests allowed (`q`) in each window of `w` seconds.",
    '"default";q=1000;w=60',
  ),
};

/** References to {@link sharedHeaders}. Operations use them so that the document describes each header only once. */
export const sharedHeaderRefs: OpenApiNode = Object.fromEntries(
  Object.keys(sharedHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** The header that marks a response as a replay of the stored response for the same idempotency key. */
export const replayedHeader: OpenApiNode = {
  "Idempotency-Replayed": describeHeader(
    "`true` if this is the stored response to an earlier request with the same idempotency key.",
    "true",
  ),
};

/** Builds the OpenAPI description of a response header with a string value. */
export function describeHeader(description: string, example: string): OpenApiNode {
  return { description, schema: { type: "string" }, example };
}
