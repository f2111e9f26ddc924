import { createHmac, randomBytes } from "node:crypto";
import type { Scope } from "../../../src/scopes.js";
import { isSameSecret } from "../../../src/secrets/same-secret.js";
import type { Clock } from "../../../src/values/clock.js";
import type { SignedInUser } from "./sign-in.js";

/** The minimum size of a key, in bytes. */
export const KEY_BYTES = 32;

/** The decision comes within 10 minutes. */
const VALID_MS = 600_000;

const NONCE_BYTES = 16;

/** The content of a consent page, and the user who saw it. */
export interface ConsentPage {
  readonly user: SignedInUser;
  /** The query of the authorization request. */
  readonly query: string;
  readonly scopes: readonly Scope[];
}

/**
 * Proves that a decision comes from the page that was shown to this user for this request, with these scopes, not long
 * ago, against forged ones (RFC 6749, section 10.12).
 */
export class ConsentSeal {
  private readonly key: Buffer;

  /** @param key shared by the processes that answer for one issuer; without one, only this process knows its pages. */
  constructor(
    key: string | undefined,
    private readonly clock: Clock,
  ) {
    this.key = key === undefined ? randomBytes(KEY_BYTES) : Buffer.from(key);
    if (this.key.byteLength < KEY_BYTES) throw new TypeError(`key must have at least ${KEY_BYTES} bytes`);
  }

  /** A seal for one page: no two are alike. */
  createSeal(shown: ConsentPage): string {
    const page = `${randomBytes(NONCE_BYTES).toString("base64url")}.${this.clock()}`;
    return `${page}.${this.computeProof(shown, page)}`;
  }

  /** The name of the page that a seal is of; `null` if it is of no page that showed that, or of one that is too old. */
  openSeal(seal: string | null, shown: ConsentPage): string | null {
    const [, page, shownAt, proof] = /^([\w-]+\.([0-9]+))\.([\w-]+)$/.exec(seal ?? "") ?? [];
    if (page === undefined || proof === undefined || !isSameSecret(proof, this.computeProof(shown, page)))
      return null;
    // A clock that is set back must not stretch it.
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
