import type * as z from "zod";
import { IDEMPOTENCY_KEY, LOYALTY_ACTOR } from "../request/http-message.js";

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

const inQuery: Readonly<Record<string, string>> = {
  actorId: "Only entries by this token, app or part of the host.",
  actorKind: "Only entries by this kind of actor.",
  after: "The `next` value of the previous page. Leave it out for the first page.",
  newest: "`true` returns the newest `limit` events instead of the oldest. Can't be combined with `after`.",
  days: "The number of days, including today. Default: 30, unless you give `from` and `to`.",
  email: "The user's email. Upper and lower case don't matter.",
  from: "The first day, such as `2026-01-31`. Requires `to`.",
  hash: "The hash of an entry that you stored earlier. Requires `sequence`.",
  ids: "Only the users with these ids, comma-separated, oldest first. At most 100. Can't be combined with a search or a stamp filter.",
  includeStamps: "Whether to include `stampProgress`. Always included with a stamp filter.",
  includeSummary:
    "Whether to include `summary`: available rewards, the last visit, whether a card is in a wallet, and tags.",
  limit: "Maximum number of items per page.",
  location: "Only entries with this location.",
  maxStamps: "Stamp filter: maximum number of current stamps. Requires `templateId`.",
  minStamps: "Stamp filter: minimum number of current stamps. Requires `templateId`.",
  page: "The page number, starting at 0.",
  qrCodeValue: "The scanned value, or just its code.",
  receipt: "Only entries with this receipt.",
  search: "Text to find in email, name, phone or externalId, regardless of case. No wildcards.",
  sequence: "The sequence number of an entry that you stored earlier. Requires `hash`.",
  size: "Items per page, at most 200 (messages: 50). Higher values are reduced to the maximum.",
  sort: "Field and direction. Nulls are last in both directions.",
  subject: "Only entries by this person of the host.",
  templateId: "Stamp filter: only contacts with a pass of this stamp-card template.",
  to: "The last day. Requires `from`.",
  types: "Only events of these types, comma-separated. Default: all types.",
  status: "Only messages, deliveries or runs with this status.",
  userId: "Only events of the user with this id or external id.",
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
    "Who the call is made for, recorded with its changes: `subject`, `location` and `receipt`, 1 to 255 characters each, in query-string form. Requires the scope `actor:write`",
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
    description: inQuery[name],
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
