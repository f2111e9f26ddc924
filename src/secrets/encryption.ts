import { type CipherGCM, createCipheriv, createDecipheriv, type DecipherGCM, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** How long a key is, in bytes. */
export const KEY_BYTES = 32;

/**
 * Encrypts a text by AES-256-GCM, with a nonce of its own.
 * @param context what it is for: it opens with the same one alone.
 * @returns nonce, tag and ciphertext.
 */
export function encrypted(key: Buffer, text: string, context = ""): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  bind(cipher, context);
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws when it was encrypted with another key or for something else, or was changed since. */
export function decrypted(key: Buffer, bytes: Buffer, context = ""): string {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  bind(decipher, context);
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString("utf8");
}

/** Some runtimes refuse an empty context, which is the same as none. */
function bind(cipher: CipherGCM | DecipherGCM, context: string): void {
  if (context !== "") cipher.setAAD(Buffer.from(context));
}
