import { createHmac, randomBytes } from "node:crypto";
import { WEBHOOK_SECRET_PREFIX } from "../secrets/idempotency-seal.js";
import { isSameSecret } from "../secrets/same-secret.js";
import type { StoredWebhookEndpoint } from "../storage/webhooks.js";

/** A signed message: the bytes that are sent, with the id and time that tell them from the same bytes sent again. */
export interface WebhookMessage {
  readonly id: string;
  /** Seconds since the Unix epoch, in decimal digits. */
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

const VERSION = "v1";

/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

/** The secret before a rotation signs as well for 24 hours. */
export const SECRET_OVERLAP_MS = 86_400_000;

/** A new secret that signs webhooks, as Standard Webhooks writes it. */
export function newWebhookSecret(): string {
  return `${WEBHOOK_SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** Returns the secrets that sign for an endpoint, newest first. */
export function listValidSecrets(endpoint: StoredWebhookEndpoint, now: number): string[] {
  const { secret, previousSecret, previousSecretExpiresAt } = endpoint;
  const isOverlapping = previousSecretExpiresAt !== null && previousSecretExpiresAt > now;
  return previousSecret !== null && isOverlapping ? [secret, previousSecret] : [secret];
}

/**
 * The `webhook-signature` of a message (Standard Webhooks, symmetric signatures): one for each secret, in their order,
 * with spaces between them.
 * @throws {TypeError} if a secret is none.
 */
export function signWebhook(message: WebhookMessage, secrets: readonly string[]): string {
  return secrets.map((secret) => `${VERSION},${computeDigest(message, decodeSecret(secret))}`).join(" ");
}

/**
 * True when any of the signatures was made with any of the secrets. Signatures of other versions count for nothing.
 * @throws {TypeError} if a secret is none.
 */
export function isSignedBy(message: WebhookMessage, signatures: string, secrets: readonly string[]): boolean {
  const expected = signWebhook(message, secrets).split(" ");
  return signatures.split(" ").some((given) => expected.some((each) => isSameSecret(each, given)));
}

/** @throws {TypeError} if it is not base64, with or without `whsec_` before it: a key of no bytes would sign as well. */
function decodeSecret(secret: string): Buffer {
  const encoded = secret.startsWith(WEBHOOK_SECRET_PREFIX)
    ? secret.slice(WEBHOOK_SECRET_PREFIX.length)
    : secret;
  if (!/^[A-Za-z0-9+/]{2,}={0,2}$/.test(encoded)) {
    throw new TypeError(`a webhook secret must be ${WEBHOOK_SECRET_PREFIX} followed by base64`);
  }
  return Buffer.from(encoded, "base64");
}

function computeDigest({ id, timestamp, body }: WebhookMessage, key: Buffer): string {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
}
