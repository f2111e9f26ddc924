import { createHash, hkdfSync } from "node:crypto";
import { decrypt, encrypt, KEY_BYTES } from "./secret-keys.js";
import { TOKEN_FORM } from "./token-format.js";

/**
 * Returns the hash that storage uses to look up an idempotency key's outcome. The key can't be recovered from the hash except by
 * guessing.
 */
export function hashOfKey(organizationId: string, key: string): string {
  return createHash("sha256")
    .update(JSON.stringify(["idempotency key", organizationId, key]))
    .digest("hex");
}

/** Returns a hash of a request. Requests with the same content have the same hash. */
export function hashRequest(request: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(request)).digest("hex");
}

/**
 * Returns a 128-bit hash that identifies a caller. It is stored with a call's outcome so that the same caller can be recognized
 * when the call is repeated.
 */
export function hashIdentity(parts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

/**
 * Encrypts an outcome with a secret derived from the idempotency key. An outcome can contain a value that is stored nowhere else,
 * such as a token that is shown only once, so access to the database alone must not reveal it.
 */
export function sealOutcome(organizationId: string, key: string, outcome: string): string {
  return encrypt(deriveOrganizationKey(organizationId, key), outcome).toString("base64");
}

/**
 * Decrypts an outcome that was encrypted by {@link sealOutcome}.
 * @throws if the outcome was encrypted with a different key, or has been altered.
 */
export function openOutcome(organizationId: string, key: string, seal: string): string {
  return decrypt(deriveOrganizationKey(organizationId, key), Buffer.from(seal, "base64"));
}

function deriveOrganizationKey(organizationId: string, key: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, organizationId, "loyalty-kit idempotency", KEY_BYTES));
}

/** The prefix of all webhook signing secrets, as defined by Standard Webhooks. */
export const WEBHOOK_SECRET_PREFIX = "whsec_";

/** Matches secrets in JSON that are shown only once: tokens of every kind, and webhook signing secrets. */
const secret = new RegExp(`"(?:${TOKEN_FORM}|${WEBHOOK_SECRET_PREFIX}[0-9A-Za-z+/]{24,}=*)"`);

/**
 * Returns whether an outcome contains a secret that only the original caller is allowed to see.
 * @param json the outcome as JSON.
 */
export function containsSecret(json: string): boolean {
  return secret.test(json);
}
