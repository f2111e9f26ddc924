import { type Clock, systemClock } from "../../../src/base/values/clock.js";
import type { EventData } from "../../../src/webhooks/event-schema.js";
import type { WebhookEndpoint } from "../../../src/webhooks/schema.js";
import { hasValidSignature } from "../../../src/webhooks/signature.js";

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

/** Overrides for {@link verifyWebhook}, mainly for tests. */
export interface VerifyWebhookOptions {
  /** The clock used to check the request's timestamp. Default: the system's clock. */
  readonly clock?: Clock;
}

/** Maximum difference between a request's timestamp and now, in milliseconds. */
const TOLERANCE_MS = 5 * 60_000;

/** Rejects text that is not UTF-8, and keeps a byte-order mark, because it was signed and is not JSON. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Verifies a webhook request's signature (Standard Webhooks, symmetric signatures) and returns its event. An event can arrive more
 * than once, always with the same `id`, and events can arrive out of order.
 * @param rawBody the body exactly as received, as bytes or a string. A parsed body can't be verified, because different bytes can
 *   parse to the same value.
 * @param secret a secret that begins with `whsec_`, or an array of secrets while a secret is being rotated. A request is accepted
 *   if its signature matches any of them.
 * @throws {WebhookVerificationError} if the request must not be trusted. Its `reason` says why.
 * @throws {TypeError} if the body is neither bytes nor a string, or if a secret is malformed.
 * @example
 * import { verifyWebhook } from "loyalty-kit/webhooks";
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const event = verifyWebhook(request.headers, await request.text(), process.env.WEBHOOK_SECRET ?? "");
 *   if (event.type === "stamp_card.completed") console.log("A card is full.");
 *   return new Response(null, { status: 204 });
 * }
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  secret: string | readonly string[],
  { clock = systemClock }: VerifyWebhookOptions = {},
): WebhookEvent {
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array)) {
    throw new TypeError("rawBody must be the body's original bytes or text, not the parsed JSON");
  }
  const secrets = typeof secret === "string" ? [secret] : secret;
  if (secrets.length === 0) throw new TypeError("verifyWebhook requires a secret");
  const id = getRequiredHeader(headers, "webhook-id");
  const timestamp = getRequiredHeader(headers, "webhook-timestamp");
  const signatures = getRequiredHeader(headers, "webhook-signature");
  checkAge(timestamp, clock());
  if (!hasValidSignature({ id, timestamp, body: rawBody }, signatures, secrets)) {
    throw new WebhookVerificationError("wrong_signature", "no signature matches the body and the secret");
  }
  return parseEvent(rawBody);
}

function checkAge(timestamp: string, now: number): void {
  if (!/^[0-9]{1,12}$/.test(timestamp)) throw malformedHeaderError("webhook-timestamp");
  const age = now - Number(timestamp) * 1_000;
  if (age > TOLERANCE_MS)
    throw new WebhookVerificationError("too_old", "the request is more than 5 minutes old");
  if (age < -TOLERANCE_MS) {
    throw new WebhookVerificationError(
      "too_new",
      "the request's time is more than 5 minutes ahead of this clock",
    );
  }
}

function parseEvent(body: string | Uint8Array): WebhookEvent {
  try {
    const event: unknown = JSON.parse(typeof body === "string" ? body : utf8.decode(body));
    if (isEvent(event)) return event;
  } catch (cause) {
    throw malformedBodyError({ cause });
  }
  throw malformedBodyError();
}

function malformedBodyError(options?: ErrorOptions): WebhookVerificationError {
  return new WebhookVerificationError("malformed_body", "the body is signed, but isn't an event", options);
}

/** Checks only the envelope, because the signature vouches for the data. */
function isEvent(value: unknown): value is WebhookEvent {
  if (typeof value !== "object" || value === null) return false;
  const { id, type, timestamp, data }: Partial<Record<keyof WebhookEvent, unknown>> = value;
  return (
    [id, type, timestamp].every((text) => typeof text === "string") &&
    typeof data === "object" &&
    data !== null
  );
}

/**
 * The reason why a request must not be trusted: one of the three headers is missing or malformed, the timestamp differs from the
 * current time by more than five minutes, no signature matches, or the signed body isn't an event.
 */
export type WebhookRefusal =
  | "missing_header"
  | "malformed_header"
  | "too_old"
  | "too_new"
  | "wrong_signature"
  | "malformed_body";

/**
 * Thrown when a request must not be trusted. Respond with status 400 and ignore the request.
 *
 * @example
 * import { verifyWebhook, WebhookVerificationError } from "loyalty-kit/webhooks";
 *
 * try {
 *   verifyWebhook(new Headers(), "{}", process.env.WEBHOOK_SECRET ?? "");
 * } catch (error) {
 *   if (error instanceof WebhookVerificationError) console.warn(error.reason);
 * }
 */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";

  constructor(
    /** Why the webhook was refused. */
    readonly reason: WebhookRefusal,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A request's headers as a `Headers` object, Node.js headers, or a plain record. Names are case-insensitive. */
export type WebhookHeaders = HeadersObject | HeadersRecord;

interface HeadersObject {
  /** Returns the value of a header, or `null` if it is missing. */
  get(name: string): string | null;
}

interface HeadersRecord {
  readonly [name: string]: string | readonly string[] | undefined;
}

/**
 * Returns the value of a header that must be present exactly once.
 * @param name the header's name in lowercase.
 * @throws {WebhookVerificationError} with the reason `missing_header` or `malformed_header`.
 */
function getRequiredHeader(headers: WebhookHeaders, name: string): string {
  const values = findHeaderValues(headers, name);
  const [value = ""] = values;
  if (value === "") throw new WebhookVerificationError("missing_header", `the header ${name} is missing`);
  if (values.length > 1) throw malformedHeaderError(name);
  return value;
}

/** Creates the error for a malformed header. The error never includes the header's value. */
function malformedHeaderError(name: string): WebhookVerificationError {
  return new WebhookVerificationError("malformed_header", `the header ${name} is malformed`);
}

function findHeaderValues(headers: WebhookHeaders, name: string): readonly string[] {
  if (isHeadersObject(headers)) {
    const value = headers.get(name);
    return value === null ? [] : [value];
  }
  return Object.entries(headers).flatMap(([candidate, value = []]) =>
    candidate.toLowerCase() === name ? value : [],
  );
}

function isHeadersObject(headers: WebhookHeaders): headers is HeadersObject {
  return typeof headers.get === "function";
}
