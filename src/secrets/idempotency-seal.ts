import { createHash, hkdfSync } from "node:crypto";
import { decrypt, encrypt, KEY_BYTES } from "./secret-keys.js";
import { TOKEN_FORM } from "./token-format.js";

/** Stands for a key in storage: who reads it there learns no key that was not guessable. */
export function hashOfKey(organizationId: string, key: string): string {
  return createHash("sha256")
    .update(JSON.stringify(["idempotency key", organizationId, key]))
    .digest("hex");
}

/** A hash that identifies a request. */
export function hashRequest(request: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(request)).digest("hex");
}

/** Stands for what a caller is known by, beside an answer: 128 bits of it. */
export function hashIdentity(parts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

/**
 * Encrypts an outcome with a secret derived from the idempotency key. An outcome can hold something that is stored nowhere else,
 * such as a token that is shown once, so the database alone must not reveal it.
 */
export function sealOutcome(organizationId: string, key: string, answer: string): string {
  return encrypt(deriveOrganizationKey(organizationId, key), answer).toString("base64");
}

/** @throws if it was sealed with another key, or was changed since. */
export function openOutcome(organizationId: string, key: string, seal: string): string {
  return decrypt(deriveOrganizationKey(organizationId, key), Buffer.from(seal, "base64"));
}

function deriveOrganizationKey(organizationId: string, key: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, organizationId, "loyalty-kit idempotency", KEY_BYTES));
}

/** Every secret that signs webhooks begins with this prefix (Standard Webhooks). */
export const WEBHOOK_SECRET_PREFIX = "whsec_";

/** Matches, in a JSON text, the secrets that are shown once: tokens of every kind, and secrets that sign webhooks. */
const secret = new RegExp(`"(?:${TOKEN_FORM}|${WEBHOOK_SECRET_PREFIX}[0-9A-Za-z+/]{24,}=*)"`);

/** Returns whether an answer, as JSON, holds a secret that is shown to its caller alone. */
export function containsSecret(json: string): boolean {
  return secret.test(json);
}
