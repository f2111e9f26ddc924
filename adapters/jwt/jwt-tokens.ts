import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import type { Principal } from "../../src/access/token-verifier.js";
import { failure } from "../../src/errors.js";
import { isScope } from "../../src/scopes.js";
import { type Clock, systemClock } from "../../src/values/clock.js";
import { isOrganizationId } from "../../src/values/organization-id.js";

/** Whose tokens are taken, and what their claims say. */
export interface JwtOptions {
  /** The `iss` that tokens must have. */
  readonly issuer: string;
  /** The `aud` that tokens must have, alone or among others. */
  readonly audience: string;
  /**
   * The public keys of the issuer, or where it publishes them. They are fetched at the first token, again after ten
   * minutes, and when a token names a key that is not among them, at most every 30 seconds.
   */
  readonly jwks: URL | JSONWebKeySet;
  /** The organization that a token speaks for; `null`, `undefined` or what can't be one refuses the token. */
  readonly organizationOf: (claims: JWTPayload) => string | null | undefined;
  /** What a token may do. What is no scope is left out; `null` or `undefined` refuses the token. */
  readonly scopesOf: (claims: JWTPayload) => readonly string[] | null | undefined;
  /** The system's unless given. */
  readonly clock?: Clock;
}

/** Those with a public key. With a shared secret, whoever can check tokens could make them. */
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
 * @throws when the key set is malformed.
 */
export function jwtTokens(options: JwtOptions): (token: string) => Promise<Principal | null> {
  const { issuer, audience, jwks, organizationOf, scopesOf, clock = systemClock } = options;
  const keys = known(jwks instanceof URL ? createRemoteJWKSet(jwks) : createLocalJWKSet(jwks));
  return async (token) => {
    if (token.length > MAX_LENGTH || !isCanonical(token)) return null;
    const currentDate = new Date(clock());
    const requiredClaims = ["exp"];
    const claims = await claimsOf(() =>
      jwtVerify(token, keys, { issuer, audience, algorithms, requiredClaims, currentDate }),
    );
    if (claims === null) return null;
    const [organizationId, scopes] = [organizationOf(claims), scopesOf(claims)];
    if (!isOrganizationId(organizationId) || !Array.isArray(scopes)) return null;
    return { organizationId, scopes: scopes.filter(isScope) };
  };
}

/** False for another spelling of a token, which would be another one to whoever counts its requests (RFC 4648, section 3.5). */
function isCanonical(token: string): boolean {
  return token.split(".").every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

/** The claims of a token; `null` when it is wrong. */
async function claimsOf(verify: () => Promise<{ readonly payload: JWTPayload }>): Promise<JWTPayload | null> {
  try {
    return (await verify()).payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/** The key of a token, but that a failure to get any is told from a token without one. */
function known(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (cause) {
      if (isOfToken(cause)) throw cause;
      throw failure("storage_unavailable", null, { cause });
    }
  };
}

function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}
