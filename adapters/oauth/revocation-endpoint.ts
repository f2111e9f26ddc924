import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { HttpRequest, HttpResponse } from "../http/index.js";
import { JSON_TYPE } from "../http/request/answer-headers.js";
import type { Endpoint } from "./endpoint.js";
import { OAuthError, refusalAnswer, unkept } from "./oauth-error.js";
import { appRequest } from "./token-endpoint.js";
import type { TokenLimits } from "./token-limits.js";

/**
 * Ends tokens at the wish of their app (RFC 7009): an access token alone, a refresh token with the whole grant. It takes
 * tokens by their form, so a `token_type_hint` changes nothing.
 */
export class RevocationEndpoint implements Endpoint {
  readonly methods = ["POST"];
  readonly refuse = refusalAnswer;

  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly limits: TokenLimits,
  ) {}

  async answer(request: HttpRequest, onError: (error: unknown) => void): Promise<HttpResponse> {
    const { app, form } = await appRequest(this.loyalty, request);
    await this.limits.ofApp(app, request.address, onError);
    if (!(await this.loyalty.appTokens.revoke(app, form.get("token")))) {
      throw new OAuthError("invalid_grant", "the token was given to another app");
    }
    // The body means nothing (section 2.2), but some clients want JSON everywhere.
    return { status: 200, headers: { "content-type": JSON_TYPE, ...unkept }, body: "{}" };
  }
}
