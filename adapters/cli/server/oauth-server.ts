import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { HttpExtension } from "../../http/index.js";
import { partsOf } from "../../http/request/path.js";
import { answerAt } from "../../oauth/endpoint.js";
import { createOAuth, type OAuthOptions } from "../../oauth/index.js";
import { signInPath, TokenSignIn } from "./token-sign-in.js";

/**
 * OAuth 2.0 where people sign in by an API token of their organization.
 * @param options `key`: shared by the processes that answer for one issuer, at least 32 bytes; each has its own unless
 *   given.
 */
export function oauthServer(
  loyalty: LoyaltyService,
  issuer: string,
  { key, rateLimits }: Pick<OAuthOptions, "key" | "rateLimits"> = {},
): HttpExtension {
  const signIn = new TokenSignIn(loyalty, issuer, key);
  const oauth = createOAuth(loyalty, {
    issuer,
    signedIn: (request) => signIn.signedIn(request),
    ...(key !== undefined && { key }),
    ...(rateLimits !== undefined && { rateLimits }),
  });
  return {
    paths: [...oauth.paths, signInPath],
    handle: (request, onError) =>
      partsOf(request.url).path === signInPath
        ? answerAt(signIn, request, onError)
        : oauth.handle(request, onError),
  };
}
