import { hkdfSync, randomBytes, randomUUID } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";
import type { Principal } from "../../../src/access/token-verifier.js";
import { isLoyaltyError } from "../../../src/errors.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";

const KEY_BYTES = 32;

export interface TokenCookieOptions {
  readonly name: string;
  /** The length of a session from its sign-in, in seconds. */
  readonly seconds: number;
  /** A secret that processes share; without one, only this process knows its cookies. */
  readonly key: string | undefined;
}

/** The content of a sealed cookie. */
export interface TokenCookieContent {
  readonly id: string;
  readonly token: string;
  /** When it began, in milliseconds since the Unix epoch. */
  readonly begunAt: number;
}

/**
 * A session in a cookie that holds an API token, encrypted with a key that only these servers have: nothing is kept here,
 * so sessions cost no memory, and any process with the key knows them. The token must be asked for each time: with the
 * token, the session ends.
 */
export class TokenCookie {
  readonly name: string;
  readonly seconds: number;
  private readonly key: Uint8Array;

  constructor(
    private readonly loyalty: LoyaltyService,
    { name, seconds, key }: TokenCookieOptions,
  ) {
    this.name = name;
    this.seconds = seconds;
    this.key = key === undefined ? randomBytes(KEY_BYTES) : deriveKey(key, name);
  }

  /** Seals a new session. It has nothing in common with an earlier session, so an attacker can't plant one on another user. */
  seal(token: string): Promise<string> {
    return new EncryptJWT({ token, begunAt: serviceInternals(this.loyalty).now() })
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .setJti(randomUUID())
      .setExpirationTime(new Date(serviceInternals(this.loyalty).now() + this.seconds * 1_000))
      .encrypt(this.key);
  }

  /** Resolves to the session of the cookie that a request brings; `null` if it brings none, or one that is over or of another key. */
  async openSession(sealed: string | null): Promise<TokenCookieContent | null> {
    if (sealed === null) return null;
    try {
      const { payload } = await jwtDecrypt(sealed, this.key, {
        currentDate: new Date(serviceInternals(this.loyalty).now()),
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      });
      const { token, jti, begunAt } = payload;
      if (typeof token !== "string" || typeof begunAt !== "number" || jti === undefined) return null;
      return { id: jti, token, begunAt };
    } catch {
      return null;
    }
  }

  /** Resolves to the organization and scopes of a token; `null` if it is not valid, or not from this client address. */
  async verifyPrincipal(token: string, address: string | null): Promise<Principal | null> {
    try {
      return await this.loyalty.verifyApiToken(token, address);
    } catch (error) {
      if (isLoyaltyError(error, "address_not_allowed")) return null;
      throw error;
    }
  }
}

/** Derives a key for each cookie, since the shared one seals other things already. */
function deriveKey(key: string, name: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, "", `${name} cookie`, KEY_BYTES));
}
