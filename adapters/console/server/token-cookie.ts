import { hkdfSync, randomBytes, randomUUID } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";
import type { Principal } from "../../../src/access/token-verifier.js";
import { isLoyaltyError } from "../../../src/errors.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";

const KEY_BYTES = 32;

export interface TokenCookieOptions {
  readonly name: string;
  /** Lifetime of a session after sign-in, in seconds. */
  readonly seconds: number;
  /** A secret shared by all processes. If it is missing, only this process can open its cookies. */
  readonly key: string | undefined;
}

/** Decrypted content of a session cookie. */
export interface TokenCookieContent {
  readonly id: string;
  readonly token: string;
  /** When the session began, in milliseconds since the Unix epoch. */
  readonly begunAt: number;
}

/**
 * A session cookie that holds an API token, encrypted with a key that only these servers have. Nothing is stored on the server, so
 * sessions cost no memory, and any process with the key can open them. Callers must verify the token on each request, so that the
 * session ends when the token does.
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

  /** Seals a new session. It shares nothing with an earlier session, so an attacker can't plant a session on another user. */
  seal(token: string): Promise<string> {
    return new EncryptJWT({ token, begunAt: serviceInternals(this.loyalty).now() })
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .setJti(randomUUID())
      .setExpirationTime(new Date(serviceInternals(this.loyalty).now() + this.seconds * 1_000))
      .encrypt(this.key);
  }

  /**
   * Resolves to the session in a cookie; `null` if there is no cookie, the session has expired, or the cookie was sealed with
   * another key.
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

  /** Resolves to a token's organization and scopes; `null` if the token is invalid or not allowed from this client address. */
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
