import { type Clock, systemClock } from "../../../src/base/values/clock.js";
import { isSignedBy } from "../../../src/webhooks/signature.js";
import { malformedHeaderError, requiredHeader, type WebhookHeaders } from "./headers.js";
import { WebhookVerificationError } from "./verification-error.js";
import type { WebhookEvent } from "./webhook-event.js";

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
  const id = requiredHeader(headers, "webhook-id");
  const timestamp = requiredHeader(headers, "webhook-timestamp");
  const signatures = requiredHeader(headers, "webhook-signature");
  checkAge(timestamp, clock());
  if (!isSignedBy({ id, timestamp, body: rawBody }, signatures, secrets)) {
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
