import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import { finishesWithin } from "../../../../src/base/concurrency/timeout.js";
import { unavailable } from "../../../../src/base/errors.js";
import { isScope } from "../../../../src/base/scopes.js";
import { type Clock, systemClock } from "../../../../src/base/values/clock.js";
import { isOrganizationId } from "../../../../src/base/values/ids.js";
import { isSecureOrLocal } from "../../../../src/base/values/url.js";
import type { Principal } from "../../../../src/kernel/caller-rights.js";

/** Milliseconds for which a failure to fetch keys is remembered, so that many tokens don't cause many fetches. */
const REFETCH_DELAY_MS = 1_000;

/** Milliseconds that tokens wait for a refetch if some keys are cached. */
const REFETCH_TIMEOUT_MS = 500;

/** Specifies which issuer's tokens to accept and how to interpret their claims. See {@link jwtTokens}. */
export interface JwtOptions {
  /** The required value of a token's `iss` claim. */
  readonly issuer: string;
  /** The required audience. A token's `aud` claim must equal it or contain it. */
  readonly audience: string;
  /**
   * The issuer's public keys, or the URL where it publishes them. The URL must use https unless its host is `localhost` or a
   * loopback address. Keys are fetched for the first token, and again once they are ten minutes old. If a token refers to an
   * unknown key, they are refetched, but at most once every 30 seconds. After a failed fetch, they are fetched at most once per
   * second.
   */
  readonly jwks: URL | JSONWebKeySet;
  /**
   * The required `typ` of a token, such as `at+jwt` (RFC 9068). By default, the type can be `at+jwt`, `JWT`, or missing, because
   * not all issuers set it. Tokens with any other type are rejected, including tokens for other purposes (`logout+jwt`, `dpop+jwt`,
   * …).
   */
  readonly type?: string;
  /**
   * Returns the ID of the organization that a token is for. The token is rejected if this returns `null`, `undefined`, or an
   * invalid ID.
   */
  readonly organizationOf: (claims: JWTPayload) => string | null | undefined;
  /** Returns a token's scopes. Unknown scopes are ignored. The token is rejected if this returns `null` or `undefined`. */
  readonly scopesOf: (claims: JWTPayload) => readonly string[] | null | undefined;
  /** The clock for checking `exp` and `nbf`. Default: the system's clock. */
  readonly clock?: Clock;
}

/** The accepted algorithms, all with public keys. With a shared secret, every verifier could also issue tokens. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** Maximum length of a token. Servers don't accept longer headers. */
const MAX_TOKEN_LENGTH = 16_384;

/**
 * Creates a function that authenticates requests using JWTs from another authorization server (RFC 7519, RFC 8725). Pass the result
 * to the HTTP API: `createHttpApi(loyalty, { authenticate: jwtTokens({ … }) })`. A token must be signed with a public-key algorithm
 * (never `none` or `HS…`). Its `exp` is required and must be in the future. Its `nbf`, if present, must not be in the future. If
 * several of the issuer's keys are suitable, the token must identify its key with `kid`.
 * @returns a function that resolves to a token's principal, or to `null` if the token is invalid. It rejects with
 *   `storage_unavailable` (503) if the keys can't be fetched, because the token might be valid.
 * @throws {TypeError} if the key set is malformed, or if its URL uses http and its host is neither `localhost` nor a loopback
 *   address.
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
  const keys = jwks instanceof URL ? createKeyLookup(jwks) : createLocalJWKSet(jwks);
  const hasAllowedType = createTypeCheck(type);
  return async (token) => {
    if (token.length > MAX_TOKEN_LENGTH || !isCanonical(token)) return null;
    const currentDate = new Date(clock());
    const requiredClaims = ["exp"];
    if (!hasAllowedType(token)) return null;
    const claims = await verifyClaims(() =>
      jwtVerify(token, keys, { issuer, audience, algorithms, requiredClaims, currentDate }),
    );
    if (claims === null) return null;
    const [organizationId, scopes] = [organizationOf(claims), scopesOf(claims)];
    if (!isOrganizationId(organizationId) || !Array.isArray(scopes)) return null;
    return { organizationId, scopes: scopes.filter(isScope) };
  };
}

/**
 * Returns whether the token has its canonical spelling. A request counter would take another spelling for a different token (RFC
 * 4648, section 3.5).
 */
function isCanonical(token: string): boolean {
  return token.split(".").every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

/** Returns the token's claims; `null` if the token is invalid. */
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

/** Returns a function that distinguishes access tokens from tokens for other purposes (RFC 8725, section 3.11). */
function createTypeCheck(type: string | undefined): (token: string) => boolean {
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

/** Media types are case-insensitive, and `application/` may be omitted (RFC 7515, section 4.1.9). */
function normalizeMediaType(type: string): string {
  return type.toLowerCase().replace(/^application\//, "");
}

/**
 * Creates a function that looks up a token's key among the keys that an issuer publishes. The function keeps using cached keys
 * while the issuer is slow to respond, and for a short time after a failed fetch.
 * @param url the URL where the issuer publishes its keys.
 * @returns the lookup function. It rejects with `storage_unavailable` if the keys can't be fetched, because the token might be
 *   valid.
 * @throws {TypeError} if the URL uses http and its host is neither `localhost` nor a loopback address.
 */
function createKeyLookup(url: URL): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(assertSafeUrl(url));
  let failure: { readonly at: number; readonly cause: unknown } | null = null;
  let isRefetchSlow = false;
  const isDegraded = () =>
    isRefetchSlow || (failure !== null && performance.now() - failure.at < REFETCH_DELAY_MS);

  /** Refetches cached keys that are old. Callers wait only briefly. */
  async function refetchOldKeys(): Promise<void> {
    if (isDegraded() || keys.fresh || keys.jwks() === undefined) return;
    const refetch = keys.reload().then(
      () => {
        isRefetchSlow = false;
      },
      (cause: unknown) => {
        isRefetchSlow = false;
        failure = { at: performance.now(), cause };
      },
    );
    isRefetchSlow = !(await finishesWithin(REFETCH_TIMEOUT_MS, refetch));
  }

  return async (header, token) => {
    await refetchOldKeys();
    const isFailing = isDegraded();
    const previousKeys = isFailing ? keys.jwks() : undefined;
    try {
      if (previousKeys !== undefined) return await createLocalJWKSet(previousKeys)(header, token);
      if (isFailing) throw failure?.cause;
      return await keys(header, token);
    } catch (cause) {
      // If the newest keys couldn't be fetched, the key that the token names may be among them.
      if (isTokenError(cause) && !isFailing) throw cause;
      if (!isFailing) failure = { at: performance.now(), cause };
      throw unavailable("keys", cause);
    }
  };
}

/**
 * Rejects http URLs, because keys that are fetched over http may be forged.
 * @throws {TypeError} if the URL uses http, unless it is on this machine.
 */
function assertSafeUrl(url: URL): URL {
  if (isSecureOrLocal(url)) return url;
  throw new TypeError(`an issuer's keys are only fetched over https, not from ${url.protocol}//${url.host}`);
}

function isTokenError(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}
