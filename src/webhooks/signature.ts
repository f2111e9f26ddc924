import { createHmac, randomBytes } from "node:crypto";
import { WEBHOOK_SECRET_PREFIX } from "../base/secrets/idempotency-seal.js";
import { isSameSecret } from "../base/secrets/token-format.js";
import type { StoredWebhookEndpoint } from "../storage/webhooks.js";

/** The signed parts of a webhook request. The receiver can use the ID and timestamp to detect replayed requests. */
export interface WebhookMessage {
  readonly id: string;
  /** The time of the request, in seconds since the Unix epoch, as decimal digits. */
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

const SIGNATURE_VERSION = "v1";

/** Length of a secret in bytes. Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

/** How long requests are also signed with the previous secret after a rotation: 24 hours, in milliseconds. */
export const SECRET_OVERLAP_MS = 86_400_000;

/** Generates a random webhook signing secret in the Standard Webhooks format. */
export function generateWebhookSecret(): string {
  return `${WEBHOOK_SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** Returns the secrets that the endpoint's requests are currently signed with, newest first. */
export function listValidSecrets(endpoint: StoredWebhookEndpoint, now: number): string[] {
  const { secret, previousSecret, previousSecretExpiresAt } = endpoint;
  const isOverlapping = previousSecretExpiresAt !== null && previousSecretExpiresAt > now;
  return previousSecret !== null && isOverlapping ? [secret, previousSecret] : [secret];
}

/**
 * Returns the value of the `webhook-signature` header for a message, in the Standard Webhooks format for symmetric signatures. It
 * contains one signature per secret, in the same order, separated by spaces.
 * @throws {TypeError} if a secret is malformed.
 */
export function signWebhook(message: WebhookMessage, secrets: readonly string[]): string {
  return secrets
    .map((secret) => `${SIGNATURE_VERSION},${computeDigest(message, decodeSecret(secret))}`)
    .join(" ");
}

/**
 * Returns whether at least one of the signatures matches one of the secrets. Signatures with an unsupported version are ignored.
 * @param signatures the value of the `webhook-signature` header.
 * @throws {TypeError} if a secret is malformed.
 */
export function hasValidSignature(
  message: WebhookMessage,
  signatures: string,
  secrets: readonly string[],
): boolean {
  const validSignatures = signWebhook(message, secrets).split(" ");
  return signatures
    .split(" ")
    .some((signature) => validSignatures.some((each) => isSameSecret(each, signature)));
}

/**
 * Decodes a secret into its key bytes. Malformed secrets are rejected, because an empty key would produce signatures too.
 * @throws {TypeError} if the secret isn't base64, with or without the `whsec_` prefix.
 */
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
