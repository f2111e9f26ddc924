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
const clientAuthentication = ["client_secret_basic", "client_secret_post", "none"];

/** Builds the authorization server's metadata (RFC 8414, section 2; RFC 9207, section 3). */
export function buildMetadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: issuer + paths.authorize,
    token_endpoint: issuer + paths.token,
    revocation_endpoint: issuer + paths.revoke,
    scopes_supported: [...scopes],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}

/** The metadata that an authorization server publishes (RFC 8414). */
export type ServerMetadata = ReturnType<typeof buildMetadata>;

/**
 * Validates the issuer, which is the base URL of the server's paths (RFC 8414, section 2).
 * @returns the issuer, unchanged.
 * @throws {TypeError} if the issuer is neither an https URL nor an http URL on localhost, isn't in the form to which browsers
 *   normalize it, or has a query, a fragment, or a trailing slash.
 */
export function validateIssuer(text: string): string {
  const url = parseUrl(text);
  const isPlain = url !== null && text === `${url.origin}${url.pathname === "/" ? "" : url.pathname}`;
  if (!isPlain || !isSecureOrLocal(url) || text.endsWith("/")) {
    throw new TypeError(
      "issuer must be an https URL, or an http URL of localhost, without query, fragment and slash at its end",
    );
  }
  return text;
}
