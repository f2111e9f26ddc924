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

/** Minimum length of each key in `secretKeys`, in UTF-8 bytes. */
export const MIN_KEY_BYTES = 32;

/**
 * A sealed secret: a prefix, the key's ID, and the encoded nonce, tag and ciphertext. No plain secret of the library starts with
 * this prefix.
 */
const sealedPattern = /^sealed\.([0-9a-f]{12})\.([0-9A-Za-z_-]+)$/;

/** Identifies a secret by its kind and owner. A secret can be opened only with the context that was used to seal it. */
export type SecretContext = readonly [kind: string, organizationId: string, id: string];

/**
 * Thrown when a stored secret can't be opened, either because the secret was altered or because the key that sealed it is missing.
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

/**
 * Encrypts secrets before they are stored. New secrets are sealed with the first key. The other keys are used only to open secrets
 * that were sealed with them earlier.
 */
export class SecretKeys {
  private readonly keys: ReadonlyMap<string, Buffer>;
  /** The ID of the key that seals new secrets, or `null` if there are no keys. */
  private readonly current: string | null;

  /** @throws {RangeError} if a key is shorter than {@link MIN_KEY_BYTES}. */
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

  /**
   * Encrypts a secret so that it can be decrypted only with the same context. If there are no keys, returns the secret unchanged.
   */
  seal(context: SecretContext, secret: string): string {
    const key = this.current === null ? undefined : this.keys.get(this.current);
    if (key === undefined) return secret;
    const bytes = encrypt(key, secret, JSON.stringify(context));
    return `sealed.${this.current}.${bytes.toString("base64url")}`;
  }

  /**
   * Decrypts a stored secret. A secret that was stored without encryption is returned unchanged.
   * @throws {SecretKeyError} if the key that sealed the secret is missing, or if the secret has been altered.
   */
  open(context: SecretContext, stored: string): string {
    const [, id, sealed] = sealedPattern.exec(stored) ?? [];
    if (id === undefined || sealed === undefined) return stored;
    const [kind, organizationId] = context;
    const key = this.keys.get(id);
    if (key === undefined) {
      throw new SecretKeyError(
        `the ${kind} of organization ${JSON.stringify(organizationId)} is sealed with another key (${id}): add that key to ` +
          "secretKeys, or to LOYALTY_SECRET_KEYS, after the current one",
      );
    }
    try {
      return decrypt(key, Buffer.from(sealed, "base64url"), JSON.stringify(context));
    } catch (cause) {
      throw new SecretKeyError(
        `the ${kind} of organization ${JSON.stringify(organizationId)} has been altered since it was sealed`,
        { cause },
      );
    }
  }

  /** Encrypts a stored secret with the first key. Returns it unchanged if it is already sealed with that key. */
  reseal(context: SecretContext, stored: string): string {
    const [, id] = sealedPattern.exec(stored) ?? [];
    return (id ?? null) === this.current ? stored : this.seal(context, this.open(context, stored));
  }
}

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const KEY_BYTES = 32;

/**
 * Encrypts a string with AES-256-GCM and a random nonce.
 * @param context what the string is used for. The string can be decrypted only with the same context.
 * @returns the nonce, the tag, and the ciphertext.
 */
export function encrypt(key: Buffer, text: string, context = ""): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  bind(cipher, context);
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/**
 * Decrypts bytes returned by {@link encrypt}.
 * @throws if the bytes were encrypted with a different key or context, or have been altered.
 */
export function decrypt(key: Buffer, bytes: Buffer, context = ""): string {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  bind(decipher, context);
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString("utf8");
}

/** Binds a context, unless it is empty: some runtimes reject an empty one, which is equivalent to none. */
function bind(cipher: CipherGCM | DecipherGCM, context: string): void {
  if (context !== "") cipher.setAAD(Buffer.from(context));
}
