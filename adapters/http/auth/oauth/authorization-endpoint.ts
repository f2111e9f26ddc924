import type { App } from "../../../../src/access/app-schema.js";
import type { RegisteredApp } from "../../../../src/access/app-tokens.js";
import { isLoyaltyError } from "../../../../src/base/errors.js";
import type { Scope } from "../../../../src/base/scopes.js";
import { isCodeChallenge } from "../../../../src/base/secrets/pkce.js";
import { isRegisteredRedirectUri } from "../../../../src/base/values/url.js";
import { organizationInternals, serviceInternals } from "../../../../src/internals.js";
import { unwrapOutcome } from "../../../../src/kernel/idempotency/idempotent-call.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { HttpRequest, HttpResponse } from "../../index.js";
import { splitUrl } from "../../request/http-message.js";
import { isSameOrigin } from "../../request/same-origin.js";
import type { ConsentSeal } from "./consent-seal.js";
import type { Endpoint } from "./endpoint.js";
import { Parameters, readForm } from "./form.js";
import { noStoreHeaders, OAuthError } from "./oauth-error.js";
import { renderConsentPage, renderErrorPage } from "./pages.js";
import { type ResolveSignedInUser, type SignedInUser, validateSignIn } from "./sign-in.js";

/**
 * The endpoint that asks the signed-in user whether to authorize an app (RFC 6749, section 4.1.1). GET shows the access that the
 * app requests. POST submits the user's decision and redirects to the app. Both methods take the app's parameters from the URL's
 * query.
 */
export class AuthorizationEndpoint implements Endpoint {
  readonly methods = ["GET", "HEAD", "POST"];
  readonly buildErrorResponse = renderErrorPage;

  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly issuer: string,
    private readonly resolveSignedInUser: ResolveSignedInUser,
    private readonly seal: ConsentSeal,
  ) {}

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const query = splitUrl(request.url).query ?? "";
    const parameters = Parameters.parse(query);
    const redirect = await resolveRedirect(parameters, (id) =>
      serviceInternals(this.loyalty).appTokens.findApp(id),
    );
    // The user must be signed in before anything is sent to the app, including errors (RFC 9700, section 4.11.2).
    const user = validateSignIn(await this.resolveSignedInUser(request));
    if ("redirect" in user) return redirectTo(user.redirect);
    try {
      const authorizationRequest = parseAuthorizationRequest(parameters, redirect.app);
      const scopes = selectGrantableScopes(authorizationRequest, user);
      if (request.method !== "POST") {
        const { app, registeredBy, redirectUri } = redirect;
        const { organizationId } = user;
        const seal = this.seal.createSeal({ user, query, scopes });
        return renderConsentPage({ app, registeredBy, organizationId, scopes, redirectUri, seal });
      }
      if (!isSameOrigin(request, { origin: new URL(this.issuer).origin })) return outOfDateResponse();
      const form = await readForm(request);
      const pageId = this.seal.openSeal(form.find("seal"), { user, query, scopes });
      if (pageId === null) return outOfDateResponse();
      if (form.find("decision") !== "allow") throw new OAuthError("access_denied", "the user denied access");
      const code = await this.allowApp(user, redirect, { ...authorizationRequest, scopes }, pageId);
      if (code === null) return outOfDateResponse();
      return this.redirectToApp(redirect, { code });
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const { code, description } = error;
      return this.redirectToApp(redirect, { error: code, error_description: description });
    }
  }

  /**
   * Grants the scopes to the app.
   * @returns an authorization code, or `null` if the decision on this consent page has already been used in any process.
   */
  private async allowApp(
    { organizationId, subject, apiToken }: SignedInUser,
    { app, redirectUri, isUriInRequest }: AuthorizationRedirect,
    { scopes, codeChallenge }: AuthorizationRequest,
    pageId: string,
  ): Promise<string | null> {
    try {
      const { outcome, isReplayed } = await organizationInternals(
        this.loyalty.organization(organizationId, { scopes }),
      ).call({ value: `consent page ${pageId}`, field: "seal", request: ["consent page"] }, ({ grants }) =>
        grants.allow({
          appId: app.id,
          subject,
          scopes,
          redirectUri: isUriInRequest ? redirectUri : null,
          codeChallenge,
          ...(apiToken !== undefined && { apiToken }),
        }),
      );
      return isReplayed ? null : unwrapOutcome(outcome);
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
    fields: Readonly<Record<string, string>>,
  ): HttpResponse {
    const query = new URLSearchParams({ ...fields, ...(state !== null && { state }), iss: this.issuer });
    return redirectTo(`${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`);
  }
}

function outOfDateResponse(): HttpResponse {
  return renderErrorPage(
    new OAuthError("access_denied", "the page has expired; go back to the app and try again"),
  );
}

/**
 * Returns the scopes that the app asks for and the user may grant.
 * @throws {OAuthError} `access_denied` if there are none.
 */
function selectGrantableScopes({ scopes }: AuthorizationRequest, user: SignedInUser): Scope[] {
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

/** The app that sent an authorization request, and the details needed to redirect the browser back to the app. */
interface AuthorizationRedirect {
  readonly app: App;
  /** The ID of the organization that registered the app. */
  readonly registeredBy: string;
  /**
   * The URI to redirect the browser to. It equals one of the app's registered redirect URIs, except that a public app on the user's
   * device can use any port.
   */
  readonly redirectUri: string;
  /** Whether the request included a redirect URI. If not, `redirectUri` is the only URI that the app registered. */
  readonly isUriInRequest: boolean;
  /** The request's `state` parameter, which the redirect must repeat. `null` if the request had none. */
  readonly state: string | null;
}

/** The validated parameters of an authorization request, except for the redirect URI and `state`. */
interface AuthorizationRequest {
  readonly scopes: readonly Scope[];
  readonly codeChallenge: string;
}

/**
 * Determines where to send the response to an authorization request. If this throws, the error must be shown to the user, because
 * redirecting the browser to an unregistered URI isn't safe (RFC 6749, section 4.1.2.1).
 * @throws {OAuthError} `invalid_request`, or `invalid_client` if the app is unknown.
 */
async function resolveRedirect(
  parameters: Parameters,
  findApp: (clientId: string) => Promise<RegisteredApp | null>,
): Promise<AuthorizationRedirect> {
  const registration = await findApp(parameters.get("client_id"));
  if (registration === null) throw new OAuthError("invalid_client", "no app has this client_id", 400);
  const { app, organizationId: registeredBy } = registration;
  const requestedUri = parameters.find("redirect_uri");
  const [first, second] = app.redirectUris;
  const redirectUri = requestedUri ?? (second === undefined ? first : undefined);
  if (redirectUri === undefined) throw new OAuthError("invalid_request", "redirect_uri is required");
  if (!isRegisteredRedirectUri(app, redirectUri)) {
    throw new OAuthError("invalid_request", "redirect_uri is not registered for the app");
  }
  return {
    app,
    registeredBy,
    redirectUri,
    isUriInRequest: requestedUri !== null,
    state: parseState(parameters),
  };
}

/**
 * Parses `state`, which the redirect repeats exactly (RFC 6749, section 4.1.2). It may contain only characters that the RFC allows.
 */
function parseState(parameters: Parameters): string | null {
  const state = parameters.find("state");
  if (state !== null && !/^[\x20-\x7e]*$/.test(state)) {
    throw new OAuthError("invalid_request", "state contains characters that aren't ASCII");
  }
  return state;
}

/**
 * Parses and validates all parameters except the redirect URI and `state`. Requires PKCE with S256 (RFC 9700, section 2.1.1).
 * @throws {OAuthError} `invalid_request`, `unsupported_response_type`, or `invalid_scope`.
 */
function parseAuthorizationRequest(parameters: Parameters, app: App): AuthorizationRequest {
  if (parameters.get("response_type") !== "code") {
    throw new OAuthError("unsupported_response_type", "response_type must be code");
  }
  const codeChallenge = parameters.get("code_challenge");
  if (parameters.find("code_challenge_method") !== "S256") {
    throw new OAuthError("invalid_request", "code_challenge_method must be S256");
  }
  if (!isCodeChallenge(codeChallenge)) throw new OAuthError("invalid_request", "code_challenge is malformed");
  return { scopes: parseScopes(parameters.find("scope"), app), codeChallenge };
}

/** Parses the scopes. They are compared exactly (RFC 6749, section 3.3). */
function parseScopes(text: string | null, app: App): Scope[] {
  if (text === null) throw new OAuthError("invalid_scope", "scope is required");
  const requestedScopes = new Set(text.split(" "));
  const allowed = app.scopes.filter((scope) => requestedScopes.has(scope));
  if (allowed.length < requestedScopes.size) {
    throw new OAuthError("invalid_scope", "scope contains a scope that the app isn't registered for");
  }
  return allowed;
}
