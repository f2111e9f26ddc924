import { scopes } from "../../../../src/base/scopes.js";
import { isSecureOrLocal, parseUrl } from "../../../../src/base/values/url.js";

/** The paths of the endpoints, relative to the issuer. */
export const paths = {
  authorize: "/oauth2/authorize",
  token: "/oauth2/token",
  revoke: "/oauth2/revoke",
  metadata: "/.well-known/oauth-authorization-server",
} as const;

/** `none` is for public apps. */
const clientAuthenticationMethods = ["client_secret_basic", "client_secret_post", "none"];

/** Builds the authorization server's metadata (RFC 8414, section 2; RFC 9207, section 3). */
export function buildMetadata(issuer: string) {
  return {
    /** The issuer, which is the base URL of the server's paths. */
    issuer,
    /** The URL where users give their consent. */
    authorization_endpoint: issuer + paths.authorize,
    /** The URL where apps get tokens. */
    token_endpoint: issuer + paths.token,
    /** The URL where apps revoke tokens. */
    revocation_endpoint: issuer + paths.revoke,
    /** The scopes that apps may ask for. */
    scopes_supported: [...scopes],
    /** The response types of the authorization endpoint. */
    response_types_supported: ["code"],
    /** How the authorization endpoint returns its response. */
    response_modes_supported: ["query"],
    /** The grants that the token endpoint accepts. */
    grant_types_supported: ["authorization_code", "refresh_token"],
    /** How apps may authenticate at the token endpoint. */
    token_endpoint_auth_methods_supported: clientAuthenticationMethods,
    /** How apps may authenticate at the revocation endpoint. */
    revocation_endpoint_auth_methods_supported: clientAuthenticationMethods,
    /** The methods of PKCE. */
    code_challenge_methods_supported: ["S256"],
    /** Whether responses name the issuer (RFC 9207). */
    authorization_response_iss_parameter_supported: true,
  };
}

/** The metadata that the authorization server publishes (RFC 8414). */
export type ServerMetadata = ReturnType<typeof buildMetadata>;

/**
 * Validates the issuer, which is the base URL of the server's endpoints (RFC 8414, section 2).
 * @returns the issuer, unchanged.
 * @throws {TypeError} if the issuer is neither an https URL nor an http URL on localhost, isn't normalized the way browsers
 *   normalize URLs, or has a query, a fragment, or a trailing slash.
 */
export function validateIssuer(text: string): string {
  const url = parseUrl(text);
  const isPlain = url !== null && text === `${url.origin}${url.pathname === "/" ? "" : url.pathname}`;
  if (!isPlain || !isSecureOrLocal(url) || text.endsWith("/")) {
    throw new TypeError(
      "issuer must be an https URL, or an http URL on localhost, without a query, fragment or trailing slash",
    );
  }
  return text;
}
