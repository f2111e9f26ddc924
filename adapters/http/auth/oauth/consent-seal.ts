import { createHmac, randomBytes } from "node:crypto";
import type { Scope } from "../../../../src/base/scopes.js";
import { isSameSecret } from "../../../../src/base/secrets/token-format.js";
import type { Clock } from "../../../../src/base/values/clock.js";
import type { SignedInUser } from "./sign-in.js";

/** Minimum length of the secret key for seals, in bytes. */
export const MIN_SEAL_KEY_BYTES = 32;

/** Milliseconds for which a consent page is valid. */
const SEAL_LIFETIME_MS = 600_000;

const NONCE_BYTES = 16;

/** A consent page and the user who sees it. The page's seal covers all of these values. */
export interface ConsentPage {
  readonly user: SignedInUser;
  /** The query string of the authorization request. */
  readonly query: string;
  readonly scopes: readonly Scope[];
}

/**
 * Creates and checks seals for consent pages. A seal proves that the user made a decision on a consent page that was recently shown
 * to them for this request and these scopes. This prevents cross-site request forgery (RFC 6749, section 10.12).
 */
export class ConsentSeal {
  private readonly key: Buffer;

  /**
   * @param key the secret key, which all processes of an issuer must share. If it is omitted, each process accepts only seals
   *   that it created.
   */
  constructor(
    key: string | undefined,
    private readonly clock: Clock,
  ) {
    this.key = key === undefined ? randomBytes(MIN_SEAL_KEY_BYTES) : Buffer.from(key);
    if (this.key.byteLength < MIN_SEAL_KEY_BYTES)
      throw new TypeError(`key must have at least ${MIN_SEAL_KEY_BYTES} bytes`);
  }

  /** Creates a seal for a consent page. Every call returns a different seal. */
  createSeal(consentPage: ConsentPage): string {
    const pageId = `${randomBytes(NONCE_BYTES).toString("base64url")}.${this.clock()}`;
    return `${pageId}.${this.computeProof(consentPage, pageId)}`;
  }

  /**
   * Checks a seal.
   * @returns the unique ID of the page that the seal was created for, or `null` if the seal is invalid, was created for different
   *   content, or has expired.
   */
  openSeal(seal: string | null, consentPage: ConsentPage): string | null {
    const [, pageId, shownAt, proof] = /^([\w-]+\.([0-9]+))\.([\w-]+)$/.exec(seal ?? "") ?? [];
    if (
      pageId === undefined ||
      proof === undefined ||
      !isSameSecret(proof, this.computeProof(consentPage, pageId))
    )
      return null;
    // Setting the clock back must not extend the validity.
    return Math.abs(this.clock() - Number(shownAt)) < SEAL_LIFETIME_MS ? pageId : null;
  }

  private computeProof(
    { user: { organizationId, subject }, query, scopes }: ConsentPage,
    pageId: string,
  ): string {
    return createHmac("sha256", this.key)
      .update(JSON.stringify([organizationId, subject, query, scopes, pageId]))
      .digest("base64url");
  }
}
