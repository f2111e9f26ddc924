import { refuseOtherVersion } from "../../../src/copies.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { HttpExtension, HttpRequest } from "../../http/index.js";
import { splitUrl } from "../../http/request/http-message.js";
import { AuthorizationEndpoint } from "./authorization-endpoint.js";
import { ConsentSeal } from "./consent-seal.js";
import { type Endpoint, errorResponse, handleAt, jsonResponse } from "./endpoint.js";
import { buildMetadata, paths, type ServerMetadata, validateIssuer } from "./metadata.js";
import type { ResolveSignedInUser } from "./sign-in.js";
import { revocationEndpoint, tokenEndpoint } from "./token-endpoint.js";
import { type TokenLimitOptions, TokenLimits } from "./token-limits.js";

/** The options of an authorization server. */
export interface OAuthOptions {
  /**
   * The URL at which clients reach the API, such as `https://api.example.com` or, under a prefix, `https://example.com/loyalty`:
   * without a trailing slash, and https except for localhost.
   */
  readonly issuer: string;
  /** Tells who is signed in, or where that is done. What it throws is answered with 500. */
  readonly signedIn: ResolveSignedInUser;
  /**
   * A secret of at least 32 bytes for the forms of the consent page, the same in all processes of one issuer. Default: a random one
   * for each process, so that a decision must reach the process that showed the page.
   */
  readonly key?: string;
  /** Limits how often apps may ask for tokens; `false` for no limits. Default: see {@link TokenLimitOptions}. */
  readonly rateLimits?: TokenLimitOptions | false;
}

/** The endpoints of OAuth 2.0, to be given to `createHttpApi`. */
export interface OAuth extends HttpExtension {
  /**
   * The answer of `/.well-known/oauth-authorization-server`. Where the issuer has a path, clients look for it at the root
   * of the host, in front of that path (RFC 8414, section 3.1), which only the host can serve.
   */
  readonly metadata: ServerMetadata;
}

/**
 * An OAuth 2.0 authorization server for apps of others: `createHttpApi(loyalty, { authenticate: bearerTokens(loyalty),
 * oauth: createOAuth(loyalty, { issuer, signedIn }) })`. It offers the authorization code grant with PKCE (S256), refresh
 * tokens and revocation. Codes live 60 seconds, access tokens 30 minutes, refresh tokens 30 days.
 * @throws {TypeError} if the issuer or the key can't be one.
 * @throws {RangeError} if a rate limit can't be one.
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
  refuseOtherVersion(loyalty, "LoyaltyService");
  const seal = new ConsentSeal(key, () => serviceInternals(loyalty).now());
  const limits = new TokenLimits(rateLimits, () => serviceInternals(loyalty).now());
  const metadata = buildMetadata(validateIssuer(issuer));
  const metadataEndpoint: Endpoint = {
    methods: ["GET", "HEAD"],
    refuse: errorResponse,
    answer: async () => jsonResponse(metadata, { "cache-control": "public, max-age=3600" }),
  };
  const endpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
    [paths.authorize, new AuthorizationEndpoint(loyalty, issuer, signedIn, seal)],
    [paths.token, tokenEndpoint(loyalty, limits)],
    [paths.revoke, revocationEndpoint(loyalty, limits)],
    [paths.metadata, metadataEndpoint],
  ]);
  return {
    metadata,
    paths: [...endpoints.keys()],
    async handle(request: HttpRequest, onError) {
      const endpoint = endpoints.get(splitUrl(request.url).path);
      if (endpoint === undefined) throw new TypeError("the path is none of OAuth 2.0");
      return handleAt(endpoint, request, onError);
    },
  };
}
