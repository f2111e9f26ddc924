import type { App } from "../../../../src/access/app-schema.js";
import type { RegisteredApp } from "../../../../src/access/app-tokens.js";
import type { Scope } from "../../../../src/base/scopes.js";
import { isCodeChallenge } from "../../../../src/base/secrets/pkce.js";
import { isRegisteredRedirectUri } from "../../../../src/base/values/redirect-uri.js";
import { OAuthError } from "./oauth-error.js";
import type { Parameters } from "./parameters.js";

/** The app that sent an authorization request, and the details needed to redirect the browser back to the app. */
export interface AuthorizationRedirect {
  readonly app: App;
  /** The ID of the organization that registered the app. */
  readonly registeredBy: string;
  /**
   * The URI to redirect the browser to. It equals one of the app's registered redirect URIs, except that a public app on the user's
   * device can use any port.
   */
  readonly redirectUri: string;
  /** Whether the request included a redirect URI. If not, `redirectUri` is the only URI that the app registered. */
  readonly isNamed: boolean;
  /** The request's `state` parameter, which the redirect must repeat. `null` if the request had none. */
  readonly state: string | null;
}

/** The validated parameters of an authorization request, except for the redirect URI and `state`. */
export interface AuthorizationRequest {
  readonly scopes: readonly Scope[];
  readonly codeChallenge: string;
}

/**
 * Determines where to send the response to an authorization request. If this throws, the error must be shown to the user, because
 * redirecting the browser to an unregistered URI isn't safe (RFC 6749, section 4.1.2.1).
 * @throws {OAuthError} `invalid_request`, or `invalid_client` if the app is unknown.
 */
export async function findCallback(
  parameters: Parameters,
  findApp: (clientId: string) => Promise<RegisteredApp | null>,
): Promise<AuthorizationRedirect> {
  const found = await findApp(parameters.get("client_id"));
  if (found === null) throw new OAuthError("invalid_client", "no app has this client_id", 400);
  const { app, organizationId: registeredBy } = found;
  const named = parameters.find("redirect_uri");
  const [first, second] = app.redirectUris;
  const redirectUri = named ?? (second === undefined ? first : undefined);
  if (redirectUri === undefined) throw new OAuthError("invalid_request", "redirect_uri is required");
  if (!isRegisteredRedirectUri(app, redirectUri)) {
    throw new OAuthError("invalid_request", "redirect_uri is not registered for the app");
  }
  return { app, registeredBy, redirectUri, isNamed: named !== null, state: parseState(parameters) };
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
export function parseAuthorizationRequest(parameters: Parameters, app: App): AuthorizationRequest {
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
  const asked = new Set(text.split(" "));
  const allowed = app.scopes.filter((scope) => asked.has(scope));
  if (allowed.length < asked.size) {
    throw new OAuthError("invalid_scope", "scope contains a scope that the app isn't registered for");
  }
  return allowed;
}
