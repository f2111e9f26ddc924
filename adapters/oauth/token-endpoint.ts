import type { GrantRefusal, IssuedTokens } from "../../src/access/app-tokens.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { App } from "../../src/resources/app.js";
import { isCodeVerifier } from "../../src/secrets/pkce.js";
import type { HttpRequest, HttpResponse } from "../http/index.js";
import { JSON_TYPE } from "../http/request/answer-headers.js";
import { partsOf } from "../http/request/path.js";
import { authenticatedApp } from "./client-authentication.js";
import type { Endpoint } from "./endpoint.js";
import { readForm } from "./form.js";
import { OAuthError, refusalAnswer, unkept } from "./oauth-error.js";
import type { Parameters } from "./parameters.js";
import type { TokenLimits } from "./token-limits.js";

/** Exchanges codes and refresh tokens for tokens (RFC 6749, sections 4.1.3 and 6). */
export class TokenEndpoint implements Endpoint {
  readonly methods = ["POST"];
  readonly refuse = refusalAnswer;

  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly limits: TokenLimits,
  ) {}

  async answer(request: HttpRequest, onError: (error: unknown) => void): Promise<HttpResponse> {
    const { app, form } = await appRequest(this.loyalty, request);
    await this.limits.ofApp(app, request.address, onError);
    const issued = await this.exchange(app, form, onError);
    if ("refused" in issued) throw new OAuthError(issued.refused, issued.reason);
    return {
      status: 200,
      headers: { "content-type": JSON_TYPE, ...unkept },
      body: JSON.stringify({
        access_token: issued.accessToken,
        token_type: "Bearer",
        expires_in: issued.expiresIn,
        refresh_token: issued.refreshToken,
        scope: issued.scopes.join(" "),
      }),
    };
  }

  private async exchange(
    app: App,
    form: Parameters,
    onError: (error: unknown) => void,
  ): Promise<IssuedTokens | GrantRefusal> {
    switch (form.get("grant_type")) {
      case "authorization_code": {
        const code = form.get("code");
        const codeVerifier = form.get("code_verifier");
        const redirectUri = form.find("redirect_uri");
        if (!isCodeVerifier(codeVerifier))
          throw new OAuthError("invalid_request", "code_verifier can't be one");
        return this.loyalty.appTokens.redeem(app, { code, redirectUri, codeVerifier });
      }
      case "refresh_token": {
        const refreshToken = form.get("refresh_token");
        const scopes = form.find("scope")?.split(" ") ?? null;
        const grantId = await this.loyalty.appTokens.grantOf(app, refreshToken);
        if (grantId !== null) await this.limits.ofGrant(grantId, onError);
        return this.loyalty.appTokens.refresh(app, { refreshToken, scopes });
      }
      default:
        throw new OAuthError(
          "unsupported_grant_type",
          "grant_type must be authorization_code or refresh_token",
        );
    }
  }
}

/**
 * What an app sends to an endpoint of its own. A URL gets into logs and histories, so it must hold nothing.
 * @throws {OAuthError} `invalid_request`; `invalid_client`.
 */
export async function appRequest(
  loyalty: LoyaltyService,
  request: HttpRequest,
): Promise<{ readonly app: App; readonly form: Parameters }> {
  const { query } = partsOf(request.url);
  if (query) throw new OAuthError("invalid_request", "parameters belong in the body, not in the URL");
  const form = await readForm(request);
  return { app: await authenticatedApp(loyalty, request.headers, form), form };
}
