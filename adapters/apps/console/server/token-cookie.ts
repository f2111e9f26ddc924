import { hkdfSync, randomBytes, randomUUID } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";
import { isLoyaltyError } from "../../../../src/base/errors.js";
import { serviceInternals } from "../../../../src/internals.js";
import type { Principal } from "../../../../src/kernel/caller-rights.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";

const KEY_BYTES = 32;

export interface TokenCookieOptions {
  readonly name: string;
  /** Session lifetime from sign-in to expiry, in seconds. */
  readonly seconds: number;
  /** A secret shared by all processes. If it is `undefined`, a cookie can be opened only by the process that sealed it. */
  readonly key: string | undefined;
}

/** The decrypted content of a session cookie. */
export interface TokenCookieContent {
  readonly id: string;
  readonly token: string;
  /** When the session started, in milliseconds since the Unix epoch. */
  readonly begunAt: number;
}

/**
 * Encrypts API tokens and stores them in session cookies. Sessions aren't stored on the server, so they use no memory there, and
 * any process with the key can open them. Callers must verify the token on each request so that the session ends when the token
 * expires or is revoked.
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

  /**
   * Starts a session and returns its cookie value. Each call starts a new session, so an attacker can't make a user sign in to a
   * session that the attacker already knows.
   */
  seal(token: string): Promise<string> {
    return new EncryptJWT({ token, begunAt: serviceInternals(this.loyalty).now() })
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .setJti(randomUUID())
      .setExpirationTime(new Date(serviceInternals(this.loyalty).now() + this.seconds * 1_000))
      .encrypt(this.key);
  }

  /**
   * Decrypts a session cookie. Resolves to `null` if there is no cookie, the session has expired, or the cookie was sealed with a
   * different key.
   */
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

  /**
   * Resolves to a token's organization and scopes, or to `null` if the token is invalid or can't be used from the client's address.
   */
  async verifyPrincipal(token: string, address: string | null): Promise<Principal | null> {
    try {
      return await this.loyalty.verifyApiToken(token, address);
    } catch (error) {
      if (isLoyaltyError(error, "address_not_allowed")) return null;
      throw error;
    }
  }
}

/** Derives a separate key for each cookie, because the shared secret also seals other things. */
function deriveKey(key: string, name: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, "", `${name} cookie`, KEY_BYTES));
}
