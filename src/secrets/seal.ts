import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Stands for a key in storage: who reads it there learns no key that was not guessable. */
export function hashOfKey(organizationId: string, key: string): string {
  return createHash("sha256")
    .update(JSON.stringify(["idempotency key", organizationId, key]))
    .digest("hex");
}

/** Stands for what is asked for with a key. */
export function fingerprintOf(request: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(request)).digest("hex");
}

/**
 * Encrypts an answer with a secret that follows from the idempotency key. An answer can hold what is kept nowhere else,
 * such as a token that is shown once: who only has the database must not find it there.
 */
export function sealed(organizationId: string, key: string, answer: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, secretOf(organizationId, key), nonce);
  const text = Buffer.concat([cipher.update(answer, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64");
}

/** @throws when it was sealed with another key, or was changed since. */
export function opened(organizationId: string, key: string, seal: string): string {
  const bytes = Buffer.from(seal, "base64");
  const decipher = createDecipheriv(
    ALGORITHM,
    secretOf(organizationId, key),
    bytes.subarray(0, NONCE_BYTES),
    { authTagLength: TAG_BYTES },
  );
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString("utf8");
}

function secretOf(organizationId: string, key: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, organizationId, "loyalty-kit idempotency", KEY_BYTES));
}
