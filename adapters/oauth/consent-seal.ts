import { createHmac, randomBytes } from "node:crypto";
import { isSameSecret } from "../../src/secrets/same-secret.js";
import type { SignedInUser } from "./sign-in.js";

/** That a key has at least. */
export const KEY_BYTES = 32;

/**
 * Proves that a decision comes from the page that was shown to this user for this request, against forged ones
 * (RFC 6749, section 10.12).
 */
export class ConsentSeal {
  private readonly key: Buffer;

  /** @param key shared by the processes that answer for one issuer; without one, only this process knows its pages. */
  constructor(key: string | undefined) {
    this.key = key === undefined ? randomBytes(KEY_BYTES) : Buffer.from(key);
    if (this.key.byteLength < KEY_BYTES) throw new TypeError(`key must have at least ${KEY_BYTES} bytes`);
  }

  /** @param query of the authorization request. */
  sealOf({ organizationId, subject }: SignedInUser, query: string): string {
    return createHmac("sha256", this.key)
      .update(JSON.stringify([organizationId, subject, query]))
      .digest("base64url");
  }

  isSealOf(seal: string | null, user: SignedInUser, query: string): boolean {
    return seal !== null && isSameSecret(seal, this.sealOf(user, query));
  }
}
