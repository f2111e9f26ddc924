import { isLoyaltyError } from "../../../../src/base/errors.js";
import type { Scope } from "../../../../src/base/scopes.js";
import { organizationInternals, serviceInternals } from "../../../../src/internals.js";
import { unwrapOutcome } from "../../../../src/kernel/idempotency/call-outcome.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { HttpRequest, HttpResponse } from "../../index.js";
import { splitUrl } from "../../request/http-message.js";
import { isSameOrigin } from "../../request/same-origin.js";
import {
  type AuthorizationRedirect,
  type AuthorizationRequest,
  findCallback,
  parseAuthorizationRequest,
} from "./authorization-request.js";
import type { ConsentSeal } from "./consent-seal.js";
import type { Endpoint } from "./endpoint.js";
import { readForm } from "./form.js";
import { noStoreHeaders, OAuthError } from "./oauth-error.js";
import { consentPage, errorPage } from "./pages.js";
import { Parameters } from "./parameters.js";
import { type ResolveSignedInUser, type SignedInUser, validateSignIn } from "./sign-in.js";

/**
 * The endpoint that asks the signed-in user whether to authorize an app (RFC 6749, section 4.1.1). GET shows the access that the
 * app requests. POST submits the user's decision and redirects to the app. Both methods take the app's parameters from the URL's
 * query.
 */
export class AuthorizationEndpoint implements Endpoint {
  readonly methods = ["GET", "HEAD", "POST"];
  readonly refuse = errorPage;

  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly issuer: string,
    private readonly signedIn: ResolveSignedInUser,
    private readonly seal: ConsentSeal,
  ) {}

  async answer(request: HttpRequest): Promise<HttpResponse> {
    const query = splitUrl(request.url).query ?? "";
    const parameters = Parameters.parse(query);
    const callback = await findCallback(parameters, (id) => serviceInternals(this.loyalty).appTokens.app(id));
    // The user must be signed in before anything is sent to the app, including errors (RFC 9700, section 4.11.2).
    const user = validateSignIn(await this.signedIn(request));
    if ("redirect" in user) return redirectTo(user.redirect);
    try {
      const asked = parseAuthorizationRequest(parameters, callback.app);
      const scopes = grantableScopes(asked, user);
      if (request.method !== "POST") {
        const { app, registeredBy, redirectUri } = callback;
        const { organizationId } = user;
        const seal = this.seal.createSeal({ user, query, scopes });
        return consentPage({ app, registeredBy, organizationId, scopes, redirectUri, seal });
      }
      if (!isSameOrigin(request, { origin: new URL(this.issuer).origin })) return outOfDate();
      const form = await readForm(request);
      const page = this.seal.openSeal(form.find("seal"), { user, query, scopes });
      if (page === null) return outOfDate();
      if (form.find("decision") !== "allow") throw new OAuthError("access_denied", "the user denied access");
      const code = await this.allow(user, callback, { ...asked, scopes }, page);
      if (code === null) return outOfDate();
      return this.redirectToApp(callback, { code });
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const { code, description } = error;
      return this.redirectToApp(callback, { error: code, error_description: description });
    }
  }

  /**
   * Grants the scopes to the app.
   * @returns an authorization code, or `null` if the decision on this consent page has already been used in any process.
   */
  private async allow(
    { organizationId, subject, apiToken }: SignedInUser,
    { app, redirectUri, isNamed }: AuthorizationRedirect,
    { scopes, codeChallenge }: AuthorizationRequest,
    page: string,
  ): Promise<string | null> {
    try {
      const { answer, isReplayed } = await organizationInternals(
        this.loyalty.organization(organizationId, { scopes }),
      ).call({ value: `consent page ${page}`, field: "seal", request: ["consent page"] }, ({ grants }) =>
        grants.allow({
          appId: app.id,
          subject,
          scopes,
          redirectUri: isNamed ? redirectUri : null,
          codeChallenge,
          ...(apiToken !== undefined && { apiToken }),
        }),
      );
      return isReplayed ? null : unwrapOutcome(answer);
    } catch (error) {
      if (isLoyaltyError(error, "idempotency_key_in_use")) return null;
      if (isLoyaltyError(error, "too_many_grants"))
        throw new OAuthError("access_denied", "the organization has reached its limit of grants");
      throw error;
    }
  }

  /** Redirects the browser to the app, with the response, the request's `state`, and the issuer (RFC 9207). */
  private redirectToApp(
    { redirectUri, state }: AuthorizationRedirect,
    answer: Readonly<Record<string, string>>,
  ): HttpResponse {
    const added = new URLSearchParams({ ...answer, ...(state !== null && { state }), iss: this.issuer });
    return redirectTo(`${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${added}`);
  }
}

function outOfDate(): HttpResponse {
  return errorPage(new OAuthError("access_denied", "the page has expired; go back to the app and try again"));
}

/**
 * Returns the scopes that the app asks for and the user may grant.
 * @throws {OAuthError} `access_denied` if there are none.
 */
function grantableScopes({ scopes }: AuthorizationRequest, user: SignedInUser): Scope[] {
  const granted = scopes.filter((scope) => user.scopes?.includes(scope) ?? true);
  if (granted.length === 0)
    throw new OAuthError("access_denied", "the user can't grant any of the requested scopes");
  return granted;
}

/** Redirects the browser with a GET, even after a POST, and without a referrer (RFC 9700, section 4.12). */
function redirectTo(location: string): HttpResponse {
  return {
    status: 303,
    headers: { location, "referrer-policy": "no-referrer", ...noStoreHeaders },
    body: null,
  };
}
