import { createHmac, randomBytes } from "node:crypto";
import type { Scope } from "../../../src/scopes.js";
import { isSameSecret } from "../../../src/secrets/same-secret.js";
import type { Clock } from "../../../src/values/clock.js";
import type { SignedInUser } from "./sign-in.js";

/** Minimum size of a key, in bytes. */
export const KEY_BYTES = 32;

/** Milliseconds for which a consent page is valid. */
const VALID_MS = 600_000;

const NONCE_BYTES = 16;

/** The content of a consent page, and the user who saw it. */
export interface ConsentPage {
  readonly user: SignedInUser;
  /** The authorization request's query. */
  readonly query: string;
  readonly scopes: readonly Scope[];
}

/**
 * Proves that a decision comes from the consent page that was recently shown to this user, for this request and these scopes.
 * Protects against cross-site request forgery (RFC 6749, section 10.12).
 */
export class ConsentSeal {
  private readonly key: Buffer;

  /** @param key shared by all processes of one issuer. If omitted, only this process recognizes its pages. */
  constructor(
    key: string | undefined,
    private readonly clock: Clock,
  ) {
    this.key = key === undefined ? randomBytes(KEY_BYTES) : Buffer.from(key);
    if (this.key.byteLength < KEY_BYTES) throw new TypeError(`key must have at least ${KEY_BYTES} bytes`);
  }

  /** Creates a unique seal for one page. */
  createSeal(shown: ConsentPage): string {
    const page = `${randomBytes(NONCE_BYTES).toString("base64url")}.${this.clock()}`;
    return `${page}.${this.computeProof(shown, page)}`;
  }

  /**
   * Returns the id of the page that a seal belongs to; `null` if the seal is invalid, belongs to different content, or is too old.
   */
  openSeal(seal: string | null, shown: ConsentPage): string | null {
    const [, page, shownAt, proof] = /^([\w-]+\.([0-9]+))\.([\w-]+)$/.exec(seal ?? "") ?? [];
    if (page === undefined || proof === undefined || !isSameSecret(proof, this.computeProof(shown, page)))
      return null;
    // Setting the clock back must not extend the validity.
    return Math.abs(this.clock() - Number(shownAt)) < VALID_MS ? page : null;
  }

  private computeProof(
    { user: { organizationId, subject }, query, scopes }: ConsentPage,
    page: string,
  ): string {
    return createHmac("sha256", this.key)
      .update(JSON.stringify([organizationId, subject, query, scopes, page]))
      .digest("base64url");
  }
}
