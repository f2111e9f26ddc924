import { prefixOfToken } from "../../../../src/base/secrets/token-format.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import {
  createOAuth,
  type OAuthOptions,
  type SignedInUser,
  type SignInRedirect,
} from "../../../http/auth/index.js";
import { type Endpoint, handleRequest } from "../../../http/auth/oauth/endpoint.js";
import { readForm } from "../../../http/auth/oauth/form.js";
import { noStoreHeaders } from "../../../http/auth/oauth/oauth-error.js";
import { pageResponse, renderErrorPage } from "../../../http/auth/oauth/pages.js";
import { html } from "../../../http/html-page.js";
import type { HttpExtension, HttpRequest, HttpResponse } from "../../../http/index.js";
import { getCookie, splitUrl } from "../../../http/request/http-message.js";

import { CROSS_ORIGIN_MESSAGE, isSameOrigin } from "../../../http/request/same-origin.js";
import { TokenCookie } from "../../console/server/token-cookie.js";

/** Path of the sign-in page, under the issuer and next to the consent page. */
const SIGN_IN_PATH = "/oauth2/sign-in";

const COOKIE_NAME = "loyalty-kit-sign-in";
const SESSION_SECONDS = 600;

/**
 * Creates the OAuth 2.0 endpoints for staff, who sign in with one of their organization's API tokens.
 * @param options the OAuth options. `key` must have at least 32 bytes and be shared by all processes that serve the issuer. If
 *   `key` is omitted, each process generates its own.
 */
export function createOAuthServer(
  loyalty: LoyaltyService,
  issuer: string,
  options: Pick<OAuthOptions, "key" | "rateLimits"> = {},
): HttpExtension {
  const signIn = new TokenSignIn(loyalty, issuer, options.key);
  const oauth = createOAuth(loyalty, {
    issuer,
    signedIn: (request) => signIn.resolveSignedInUser(request),
    ...options,
  });
  return {
    paths: [...oauth.paths, SIGN_IN_PATH],
    handle: (request, onError) =>
      splitUrl(request.url).path === SIGN_IN_PATH
        ? handleRequest(signIn, request, onError)
        : oauth.handle(request, onError),
  };
}

/**
 * Signs staff in with an API token of their organization, for servers that have no users of their own. The cookie contains the
 * token, encrypted with a key that only these servers have. The token is verified on each request, so the session ends when the
 * token becomes invalid.
 */
class TokenSignIn implements Endpoint {
  readonly methods = ["GET", "HEAD", "POST"];
  readonly buildErrorResponse = renderErrorPage;
  private readonly cookie: TokenCookie;
  private readonly cookieAttributes: string;
  private readonly origin: string;

  /** @param key shared by all processes that serve the issuer. If it is `undefined`, cookies are only valid in this process. */
  constructor(loyalty: LoyaltyService, issuer: string, key: string | undefined) {
    const { protocol, origin, pathname } = new URL(issuer);
    const isHttps = protocol === "https:";
    this.origin = origin;
    // No other host on the site can set a cookie with this name over https.
    const name = isHttps ? `__Host-${COOKIE_NAME}` : COOKIE_NAME;
    this.cookie = new TokenCookie(loyalty, { name, seconds: SESSION_SECONDS, key });
    const pathAttributes = isHttps ? "; Path=/; Secure" : `; Path=${pathname === "/" ? "" : pathname}/oauth2`;
    this.cookieAttributes = `${pathAttributes}; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Lax`;
  }

  /**
   * Returns who is signed in, or a redirect to the sign-in page. The redirect keeps the query, so that the user returns to the same
   * request.
   */
  async resolveSignedInUser({ url, headers, address }: HttpRequest): Promise<SignedInUser | SignInRedirect> {
    const token = (await this.cookie.openSession(getCookie(headers, this.cookie.name)))?.token ?? null;
    const principal = token === null ? null : await this.cookie.verifyPrincipal(token, address);
    if (token === null || principal === null) {
      return { redirect: `sign-in?${splitUrl(url).query ?? ""}` };
    }
    return { ...principal, subject: prefixOfToken(token), apiToken: token };
  }

  async handle(request: HttpRequest): Promise<HttpResponse> {
    if (request.method !== "POST") return renderSignInPage(null);
    // Another site must not be able to sign a person in, because that person might then consent to access to someone else's data.
    const isOwnOrigin = isSameOrigin(request, { origin: this.origin });
    const token = (await readForm(request)).find("token")?.trim() ?? "";
    if (!isOwnOrigin) return renderSignInPage(CROSS_ORIGIN_MESSAGE);
    if ((await this.cookie.verifyPrincipal(token, request.address)) === null) {
      return renderSignInPage("This API token isn’t valid or can’t be used from this IP address.");
    }
    const cookie = `${this.cookie.name}=${await this.cookie.seal(token)}${this.cookieAttributes}`;
    const location = `authorize?${splitUrl(request.url).query ?? ""}`;
    return { status: 303, headers: { location, "set-cookie": cookie, ...noStoreHeaders }, body: null };
  }
}

/**
 * Returns the page that asks for an API token. Its form is posted to the page's own URL.
 * @param problem error in the previously submitted form, if any.
 */
function renderSignInPage(problem: string | null): HttpResponse {
  const isRetry = problem !== null;
  const errorMessage = html`<p id="complaint" role="alert"><strong>${problem ?? ""}</strong></p>`;
  const response = pageResponse({
    title: isRetry ? "Error: Sign in" : "Sign in",
    status: isRetry ? 401 : 200,
    formAction: "'self' https: http:",
    content: html`<h1>Sign in</h1>
<p>An app is requesting access to your organization’s data. It can’t get more access than the API token you sign in with.</p>
${isRetry ? [errorMessage] : []}
<form method="post">
<label for="token">Your organization’s API token</label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required${
      isRetry ? [html` aria-invalid="true" aria-describedby="complaint"`] : []
    }>
<button class="main">Continue</button>
</form>`,
  });
  return isRetry ? { ...response, headers: { ...response.headers, "www-authenticate": "Bearer" } } : response;
}
