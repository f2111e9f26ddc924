import { randomBytes } from "node:crypto";
import type { StoredWebhookEndpoint } from "../storage/webhooks.js";

/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

/** For how long the secret before a rotation signs as well, in milliseconds: 24 hours. */
export const SECRET_OVERLAP_MS = 86_400_000;

/** A new secret that signs webhooks, as Standard Webhooks writes it. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** What signs for an endpoint, newest first. */
export function secretsOf(endpoint: StoredWebhookEndpoint, now: number): string[] {
  const { secret, previousSecret, previousSecretExpiresAt } = endpoint;
  const isOverlapping = previousSecretExpiresAt !== null && previousSecretExpiresAt > now;
  return previousSecret !== null && isOverlapping ? [secret, previousSecret] : [secret];
}
