import { assertSameVersion } from "../../../../src/base/copies.js";
import { serviceInternals } from "../../../../src/internals.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { HttpExtension, HttpRequest } from "../../index.js";
import { splitUrl } from "../../request/http-message.js";
import { AuthorizationEndpoint } from "./authorization-endpoint.js";
import { ConsentSeal } from "./consent-seal.js";
import { type Endpoint, errorResponse, handleRequest, jsonResponse } from "./endpoint.js";
import { buildMetadata, paths, type ServerMetadata, validateIssuer } from "./metadata.js";
import type { ResolveSignedInUser } from "./sign-in.js";
import { createRevocationEndpoint, createTokenEndpoint } from "./token-endpoint.js";
import { type TokenLimitOptions, TokenLimits } from "./token-limits.js";

/** Configures the authorization server that {@link createOAuth} creates. */
export interface OAuthOptions {
  /**
   * The base URL that clients use to reach the API, such as `https://api.example.com` or, under a prefix,
   * `https://example.com/loyalty`. Must have no trailing slash, and must use https unless its host is localhost.
   */
  readonly issuer: string;
  /**
   * Returns the signed-in user, or a redirect to the page where the user can sign in. If it throws, the server responds with status
   * 500.
   */
  readonly signedIn: ResolveSignedInUser;
  /**
   * A secret of at least 32 bytes that protects the consent page's form. All processes of an issuer must share it. By default, each
   * process creates a random secret, so the user's decision must reach the same process that showed the page.
   */
  readonly key?: string;
  /**
   * Limits how often apps can request tokens. Set this to `false` for no limits. See {@link TokenLimitOptions} for the defaults.
   */
  readonly rateLimits?: TokenLimitOptions | false;
}

/** The OAuth 2.0 endpoints. Pass them to `createHttpApi` as `oauth`. */
export interface OAuth extends HttpExtension {
  /**
   * The content to serve at `/.well-known/oauth-authorization-server`. If the issuer has a path, clients look for the metadata at
   * the host's root, with the issuer's path appended (RFC 8414, section 3.1). Only the host can serve that URL.
   */
  readonly metadata: ServerMetadata;
}

/**
 * Creates an OAuth 2.0 authorization server for third-party apps. It supports the authorization code grant with PKCE (S256),
 * refresh tokens, and revocation. Codes are valid for 60 seconds, access tokens for 30 minutes, and refresh tokens for 30 days.
 * Pass the result to `createHttpApi` as `oauth`, together with `bearerTokens`, which accepts the access tokens.
 * @throws {TypeError} if the issuer or the key is invalid.
 * @throws {RangeError} if a rate limit is invalid.
 * @example
 * import { bearerTokens, createHttpApi } from "loyalty-kit/http";
 * import { createOAuth } from "loyalty-kit/auth";
 *
 * const signedIn = () => ({ redirect: "https://cafe.example/login" });
 * const oauth = createOAuth(loyalty, { issuer: "https://cafe.example", signedIn });
 * const api = createHttpApi(loyalty, { authenticate: bearerTokens(loyalty), oauth });
 */
export function createOAuth(
  loyalty: LoyaltyService,
  { issuer, signedIn, key, rateLimits = {} }: OAuthOptions,
): OAuth {
  assertSameVersion(loyalty, "LoyaltyService");
  const seal = new ConsentSeal(key, () => serviceInternals(loyalty).now());
  const limits = new TokenLimits(rateLimits, () => serviceInternals(loyalty).now());
  const metadata = buildMetadata(validateIssuer(issuer));
  const metadataEndpoint: Endpoint = {
    methods: ["GET", "HEAD"],
    buildErrorResponse: errorResponse,
    handle: async () => jsonResponse(metadata, { "cache-control": "public, max-age=3600" }),
  };
  const endpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
    [paths.authorize, new AuthorizationEndpoint(loyalty, issuer, signedIn, seal)],
    [paths.token, createTokenEndpoint(loyalty, limits)],
    [paths.revoke, createRevocationEndpoint(loyalty, limits)],
    [paths.metadata, metadataEndpoint],
  ]);
  return {
    metadata,
    paths: [...endpoints.keys()],
    async handle(request: HttpRequest, onError) {
      const endpoint = endpoints.get(splitUrl(request.url).path);
      if (endpoint === undefined) throw new TypeError("this path isn't an OAuth 2.0 endpoint");
      return handleRequest(endpoint, request, onError);
    },
  };
}
