import {
  type CipherGCM,
  createCipheriv,
  createDecipheriv,
  createHash,
  type DecipherGCM,
  hkdfSync,
  randomBytes,
} from "node:crypto";
import { shareAcrossCopies } from "../copies.js";

/** A key has at least this many bytes of UTF-8. */
export const MIN_KEY_BYTES = 32;

/** A sealed text: this, by which key, and then nonce, tag and ciphertext. No secret of the library begins so. */
const form = /^sealed\.([0-9a-f]{12})\.([0-9A-Za-z_-]+)$/;

/** A place says what a secret is and whose: moved to another place, the secret does not open. */
export type SecretContext = readonly [kind: string, organizationId: string, id: string];

/**
 * A secret is sealed with a key that the service does not have, or is not what was sealed.
 *
 * @example
 * import { SecretKeyError } from "loyalty-kit";
 *
 * const endpoints = await cafe.webhooks.list().catch((error: unknown) => {
 *   if (error instanceof SecretKeyError) console.error("Start with the key that sealed the secrets.");
 *   throw error;
 * });
 */
export class SecretKeyError extends Error {
  static {
    shareAcrossCopies(SecretKeyError, "SecretKeyError");
  }

  override readonly name = "SecretKeyError";
}

/** The keys that secrets are sealed with before they are stored: the first seals, all of them open. */
export class SecretKeys {
  private readonly keys: ReadonlyMap<string, Buffer>;
  /** The id of the key that seals; `null` without keys. */
  private readonly current: string | null;

  /** @throws {RangeError} for a key of less than 32 bytes. */
  constructor(keys: readonly string[]) {
    if (keys.some((key) => Buffer.byteLength(key) < MIN_KEY_BYTES)) {
      throw new RangeError(`each of secretKeys must have at least ${MIN_KEY_BYTES} bytes`);
    }
    const derived = keys.map((key) => {
      const bytes = Buffer.from(hkdfSync("sha256", key, "", "loyalty-kit secrets", KEY_BYTES));
      return [createHash("sha256").update(bytes).digest("hex").slice(0, 12), bytes] as const;
    });
    this.keys = new Map(derived);
    this.current = derived[0]?.[0] ?? null;
  }

  /** Seals a secret for its place. Without keys the secret is returned as it is. */
  seal(place: SecretContext, secret: string): string {
    const key = this.current === null ? undefined : this.keys.get(this.current);
    if (key === undefined) return secret;
    const bytes = encrypt(key, secret, JSON.stringify(place));
    return `sealed.${this.current}.${bytes.toString("base64url")}`;
  }

  /** Takes what was stored before there was a key too. @throws {SecretKeyError} without the key that it needs. */
  open(place: SecretContext, stored: string): string {
    const [, id, sealed] = form.exec(stored) ?? [];
    if (id === undefined || sealed === undefined) return stored;
    const [kind, organizationId] = place;
    const key = this.keys.get(id);
    if (key === undefined) {
      throw new SecretKeyError(
        `the ${kind} of organization ${JSON.stringify(organizationId)} is sealed with another key (${id}): give that in ` +
          "secretKeys, or in LOYALTY_SECRET_KEYS, behind the current one",
      );
    }
    try {
      return decrypt(key, Buffer.from(sealed, "base64url"), JSON.stringify(place));
    } catch (cause) {
      throw new SecretKeyError(
        `the ${kind} of organization ${JSON.stringify(organizationId)} was changed since it was sealed`,
        { cause },
      );
    }
  }

  /** The stored secret as it is to be stored now: the same text when it is sealed by the current key already. */
  reseal(place: SecretContext, stored: string): string {
    const [, id] = form.exec(stored) ?? [];
    return (id ?? null) === this.current ? stored : this.seal(place, this.open(place, stored));
  }
}

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const KEY_BYTES = 32;

/**
 * Encrypts a text by AES-256-GCM, with a nonce of its own.
 * @param context what it is for: it opens with the same one alone.
 * @returns nonce, tag and ciphertext.
 */
export function encrypt(key: Buffer, text: string, context = ""): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  bind(cipher, context);
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws if it was encrypted with another key or for something else, or was changed since. */
export function decrypt(key: Buffer, bytes: Buffer, context = ""): string {
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
