import type * as z from "zod";
import { IDEMPOTENCY_KEY, LOYALTY_ACTOR } from "../request/message.js";

/** A schema as OpenAPI 3.1 has it (JSON Schema, draft 2020-12). */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A piece of an OpenAPI document. */
export type Part = Readonly<Record<string, unknown>>;

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
  userId: "The service id of the user, or the external id.",
  walletPassId: "The id of the pass.",
  webhookEndpointId: "The id of the webhook endpoint.",
  messageId: "The id of the message.",
  automationId: "The id of the automation.",
  messageDeliveryId: "The id of the mail's delivery.",
};

const inQuery: Readonly<Record<string, string>> = {
  actorId: "Only what this token, app or part of the host has done.",
  actorKind: "Only what was done by this kind of actor.",
  after: "The `next` of the page before; the list begins without it.",
  newest: "True begins with the newest `limit` events instead of the oldest. Not together with `after`.",
  days: "How many days, with today. 30 unless `from` and `to` are given.",
  email: "The email of the user, in whatever case.",
  from: "The first day, such as `2026-01-31`. Needs `to`.",
  hash: "The hash of an entry of an earlier look. Needs `sequence`.",
  ids: "Only the users with these ids, with commas between them, oldest first: 100 at most, and neither a search nor a stamp filter.",
  includeStamps: "Whether each contact shows its `stampProgress`; always so with a stamp filter.",
  includeSummary:
    "Whether each contact shows its `summary`: rewards that wait, the last visit, whether a card is in a wallet, and tags.",
  limit: "How many items a page has at most.",
  location: "Only what was done at this place.",
  maxStamps: "Stamp filter: the most current stamps, inclusive. Needs `templateId`.",
  minStamps: "Stamp filter: the fewest current stamps, inclusive. Needs `templateId`.",
  page: "The page's number, from 0.",
  qrCodeValue: "The scanned value, or its code alone.",
  receipt: "Only what was done for this receipt.",
  search: "A text to find in email, name, phone or externalId, whatever its case. No character is special.",
  sequence: "The sequence of an entry of an earlier look. Needs `hash`.",
  size: "How many items a page has. More than 200 is taken as 200, and of messages more than 50 as 50.",
  sort: "Field and direction. Nulls come last in both directions.",
  subject: "Only what this person of the host has done.",
  templateId: "Stamp filter: only contacts with a pass of this stamp-card template.",
  to: "The last day. Needs `from`.",
  types: "Only events of these types, with commas between them. All types without it.",
  status: "Only messages, deliveries or runs that stand so.",
  userId: "Only events of this user: the service id, or the external id.",
};

/** Every POST takes this header. */
export const idempotencyKeyParameter = {
  name: IDEMPOTENCY_KEY,
  in: "header",
  required: false,
  description:
    "Makes the call once for this key: for 24 hours a repeat gets the first answer, with `Idempotency-Replayed: true`.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** Every call that changes something takes this header. */
export const actorParameter = {
  name: LOYALTY_ACTOR,
  in: "header",
  required: false,
  description:
    "For whom the call is made, to be noted with what it changes: `subject`, `location` and `receipt`, each of 1 to 255 characters, in the form of a query. Scope: `actor:write`",
  schema: { type: "string" },
  example: "subject=anna&location=Harbour+Street&receipt=4711",
};

/** Every call takes this header. */
export const preferParameter = {
  name: "Prefer",
  in: "header",
  required: false,
  description:
    "With `handling=strict` (RFC 7240) fields of the body and parameters that are unknown are refused with 422, where they are ignored otherwise.",
  schema: { type: "string" },
  example: "handling=strict",
};

/** The parameters in the braces of a path, in their order. */
export function pathParameters(path: string) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: inPath[name],
    schema: { type: "string", minLength: 1 },
  }));
}

/** @param query an object whose fields are the parameters. */
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

/** Every response to a valid token has these headers while limits are on. Operations refer to them. */
export const sharedHeaders: Part = {
  RateLimit: header(
    "While limits are on: how many requests are left (`r`) in the window that ends in `t` seconds.",
    '"default";r=999;t=60',
  ),
  "RateLimit-Policy": header(
    "While limits are on: how many requests (`q`) there may be in a window of `w` seconds.",
    '"default";q=1000;w=60',
  ),
};

/** Each response has these references to {@link sharedHeaders}, which the document describes once. */
export const referencesToShared: Part = Object.fromEntries(
  Object.keys(sharedHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** Marks an answer that an idempotency key had before. */
export const replayedHeader: Part = {
  "Idempotency-Replayed": header(
    "`true` when the key of the request was answered before: this is that answer.",
    "true",
  ),
};

/** The description of a header whose value is a text. */
export function header(description: string, example: string): Part {
  return { description, schema: { type: "string" }, example };
}
