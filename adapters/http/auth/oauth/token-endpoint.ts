import type { App } from "../../../../src/access/app-schema.js";
import { isCodeVerifier } from "../../../../src/base/secrets/pkce.js";
import { serviceInternals } from "../../../../src/internals.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { ServiceInternals } from "../../../../src/service-internals.js";
import type { HttpRequest } from "../../index.js";
import { parseAuthorization, splitUrl } from "../../request/http-message.js";
import { type Endpoint, errorResponse, jsonResponse } from "./endpoint.js";
import { decodeFormPart, type Parameters, readForm } from "./form.js";
import { noStoreHeaders, OAuthError } from "./oauth-error.js";
import type { TokenLimits } from "./token-limits.js";

const base64Pattern = /^[A-Za-z0-9+/]+={0,2}$/;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Creates the endpoint where apps exchange authorization codes and refresh tokens for new tokens (RFC 6749, sections 4.1.3 and 6).
 */
export function createTokenEndpoint(loyalty: LoyaltyService, limits: TokenLimits): Endpoint {
  return createAppEndpoint(loyalty, limits, async (app, form, onError) => {
    const tokens = await exchange(serviceInternals(loyalty), app, form, (grantId) =>
      limits.countGrant(grantId, onError),
    );
    if ("refused" in tokens) throw new OAuthError(tokens.refused, tokens.reason);
    return {
      access_token: tokens.accessToken,
      token_type: "Bearer",
      expires_in: tokens.expiresIn,
      refresh_token: tokens.refreshToken,
      scope: tokens.scopes.join(" "),
    };
  });
}

/**
 * Creates the endpoint where apps revoke their tokens (RFC 7009). Revoking an access token affects only that token, while revoking
 * a refresh token ends its whole grant. The endpoint ignores `token_type_hint`, because the type is evident from the token's
 * format.
 */
export function createRevocationEndpoint(loyalty: LoyaltyService, limits: TokenLimits): Endpoint {
  return createAppEndpoint(loyalty, limits, async (app, form) => {
    if (!(await serviceInternals(loyalty).appTokens.revoke(app, form.get("token")))) {
      throw new OAuthError("invalid_grant", "the token was issued to another app");
    }
    // The body has no meaning (section 2.2), but some clients expect JSON everywhere.
    return {};
  });
}

async function exchange(
  { appTokens }: ServiceInternals,
  app: App,
  form: Parameters,
  countGrant: (grantId: string) => Promise<void>,
) {
  switch (form.get("grant_type")) {
    case "authorization_code": {
      const code = form.get("code");
      const codeVerifier = form.get("code_verifier");
      const redirectUri = form.find("redirect_uri");
      if (!isCodeVerifier(codeVerifier))
        throw new OAuthError("invalid_request", "code_verifier is malformed");
      return appTokens.redeem(app, { code, redirectUri, codeVerifier });
    }
    case "refresh_token": {
      const refreshToken = form.get("refresh_token");
      const scopes = form.find("scope")?.split(" ") ?? null;
      const grantId = await appTokens.findGrantId(app, refreshToken);
      if (grantId !== null) await countGrant(grantId);
      return appTokens.refresh(app, { refreshToken, scopes });
    }
    default:
      throw new OAuthError(
        "unsupported_grant_type",
        "grant_type must be authorization_code or refresh_token",
      );
  }
}

/**
 * Creates an endpoint for apps, which authenticates the app, counts the request and responds with JSON. It refuses parameters in
 * the URL with `invalid_request`, because URLs end up in logs and histories. It refuses unknown apps and wrong secrets with
 * `invalid_client`.
 */
function createAppEndpoint(
  loyalty: LoyaltyService,
  limits: TokenLimits,
  buildContent: (app: App, form: Parameters, onError: (error: unknown) => void) => Promise<object>,
): Endpoint {
  return {
    methods: ["POST"],
    buildErrorResponse: errorResponse,
    async handle(request, onError) {
      const { query } = splitUrl(request.url);
      if (query) throw new OAuthError("invalid_request", "send parameters in the body, not in the URL");
      const form = await readForm(request);
      const app = await authenticateApp(loyalty, request.headers, form);
      await limits.countApp(app, request.address, onError);
      return jsonResponse(await buildContent(app, form, onError), noStoreHeaders);
    },
  };
}

interface Credentials {
  readonly id: string;
  /** The app's secret; `null` if none was sent, which is normal for a public app. */
  readonly secret: string | null;
}

/**
 * Authenticates the app that sent a request. A confidential app sends its secret in the HTTP Basic header or in the form (RFC 6749,
 * section 2.3.1). A public app sends only its ID (section 3.2.1). Secrets have 190 random bits, so they can't be guessed. A
 * malformed secret is rejected without a lookup.
 * @throws {OAuthError} `invalid_client`, or `invalid_request` if the request contains the secret twice.
 */
async function authenticateApp(
  loyalty: LoyaltyService,
  headers: HttpRequest["headers"],
  form: Parameters,
): Promise<App> {
  const { id, secret } = parseCredentials(headers, form);
  const app = await serviceInternals(loyalty).appTokens.authenticate(id, secret);
  if (app === null) throw new OAuthError("invalid_client", "the client id or secret is wrong");
  return app;
}

function parseCredentials(headers: HttpRequest["headers"], form: Parameters): Credentials {
  const authorization = parseAuthorization(headers);
  const id = form.find("client_id");
  const secret = form.find("client_secret");
  if (authorization === null) {
    if (id === null) throw new OAuthError("invalid_client", "the app must authenticate");
    return { id, secret };
  }
  const { scheme, token } = authorization;
  const headerCredentials = scheme === "basic" && token !== null ? parseBasicCredentials(token) : null;
  if (headerCredentials === null)
    throw new OAuthError("invalid_client", "send a single Authorization header with HTTP Basic");
  if (secret !== null)
    throw new OAuthError("invalid_request", "the client secret was sent in both the header and the body");
  if (id !== null && id !== headerCredentials.id) {
    throw new OAuthError("invalid_request", "client_id doesn't match the Authorization header");
  }
  return headerCredentials;
}

/**
 * Parses HTTP Basic credentials. Both parts are form-encoded before they are joined.
 * @returns `null` if they are malformed.
 */
function parseBasicCredentials(encoded: string): Credentials | null {
  if (!base64Pattern.test(encoded)) return null;
  try {
    const text = utf8.decode(Buffer.from(encoded, "base64"));
    const colon = text.indexOf(":");
    if (colon < 0) return null;
    return { id: decodeFormPart(text.slice(0, colon)), secret: decodeFormPart(text.slice(colon + 1)) };
  } catch {
    return null;
  }
}
