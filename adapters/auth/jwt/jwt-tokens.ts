import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from "jose";
import type { Principal } from "../../../src/access/token-verifier.js";
import { isScope } from "../../../src/scopes.js";
import { type Clock, systemClock } from "../../../src/values/clock.js";
import { isOrganizationId } from "../../../src/values/ids.js";
import { fetchJwks } from "./published-keys.js";

/** The issuer whose tokens are taken, and the meaning of their claims. */
export interface JwtOptions {
  /** The `iss` that tokens must have. */
  readonly issuer: string;
  /** The `aud` that tokens must have, alone or among others. */
  readonly audience: string;
  /**
   * The public keys of the issuer, or where it publishes them: by https, or on this machine. They are fetched at the first
   * token, again after ten minutes, and when a token names a key that is not among them, at most every 30 seconds; while
   * that fails, at most every second.
   */
  readonly jwks: URL | JSONWebKeySet;
  /**
   * The `typ` that tokens must have, such as `at+jwt` (RFC 9068). Default: `at+jwt`, `JWT` or none, because not all issuers set it.
   * Tokens for other purposes (`logout+jwt`, `dpop+jwt`, …) are always refused.
   */
  readonly type?: string;
  /** The organization that a token speaks for; `null`, `undefined` or what can't be one refuses the token. */
  readonly organizationOf: (claims: JWTPayload) => string | null | undefined;
  /** The scopes of a token. A text that is no scope is left out; `null` or `undefined` refuses the token. */
  readonly scopesOf: (claims: JWTPayload) => readonly string[] | null | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock;
}

/** The algorithms with a public key. With a shared secret, every verifier could also issue tokens. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** Longer than any header that servers take. */
const MAX_LENGTH = 16_384;

/**
 * Authenticates with the JWTs of another authorization server (RFC 7519, RFC 8725):
 * `createHttpApi(loyalty, { authenticate: jwtTokens({ … }) })`. A token is signed with a public key (never `none` or
 * `HS…`), has an `exp` that is not over, and no `nbf` that is to come. Where several keys fit, it must name its own.
 * @returns what rejects with `storage_unavailable` (503) when the keys can't be had: a token is not wrong for that.
 * @throws {TypeError} if the key set is malformed, or its URL is of http.
 * @example
 * import { jwtTokens } from "loyalty-kit/auth";
 *
 * const authenticate = jwtTokens({
 *   ...{ issuer: "https://login.cafe.example", audience: "loyalty" },
 *   jwks: new URL("https://login.cafe.example/jwks.json"),
 *   organizationOf: () => "cafe",
 *   scopesOf: ({ scope }) => String(scope).split(" "),
 * });
 */
export function jwtTokens(options: JwtOptions): (token: string) => Promise<Principal | null> {
  const { issuer, audience, jwks, type, organizationOf, scopesOf, clock = systemClock } = options;
  const keys = jwks instanceof URL ? fetchJwks(jwks) : createLocalJWKSet(jwks);
  const isOfType = hasAccessTokenType(type);
  return async (token) => {
    if (token.length > MAX_LENGTH || !isCanonical(token)) return null;
    const currentDate = new Date(clock());
    const requiredClaims = ["exp"];
    if (!isOfType(token)) return null;
    const claims = await verifyClaims(() =>
      jwtVerify(token, keys, { issuer, audience, algorithms, requiredClaims, currentDate }),
    );
    if (claims === null) return null;
    const [organizationId, scopes] = [organizationOf(claims), scopesOf(claims)];
    if (!isOrganizationId(organizationId) || !Array.isArray(scopes)) return null;
    return { organizationId, scopes: scopes.filter(isScope) };
  };
}

/** False for another spelling of a token, which a counter of requests would take for another token (RFC 4648, section 3.5). */
function isCanonical(token: string): boolean {
  return token.split(".").every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

/** The claims of a token; `null` if it is wrong. */
async function verifyClaims(
  verify: () => Promise<{ readonly payload: JWTPayload }>,
): Promise<JWTPayload | null> {
  try {
    return (await verify()).payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/** Tells the tokens that are to give access from those for other ends (RFC 8725, section 3.11). */
function hasAccessTokenType(type: string | undefined): (token: string) => boolean {
  const types = type === undefined ? [undefined, "jwt", "at+jwt"] : [normalizeMediaType(type)];
  return (token) => {
    try {
      const { typ } = decodeProtectedHeader(token);
      return types.includes(typ === undefined ? undefined : normalizeMediaType(typ));
    } catch {
      return false;
    }
  };
}

/** Media types are the same in any case, and may leave out `application/` (RFC 7515, section 4.1.9). */
function normalizeMediaType(type: string): string {
  return type.toLowerCase().replace(/^application\//, "");
}
