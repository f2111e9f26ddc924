import { scopes } from "../../src/scopes.js";
import type { HttpResponse } from "../http/index.js";
import { JSON_TYPE } from "../http/request/answer-headers.js";
import type { Endpoint } from "./endpoint.js";
import { refusalAnswer } from "./oauth-error.js";

/** Where the endpoints stand below the issuer. */
export const paths = {
  authorize: "/oauth2/authorize",
  token: "/oauth2/token",
  revoke: "/oauth2/revoke",
  metadata: "/.well-known/oauth-authorization-server",
} as const;

/** `none` is that of public apps. */
const clientAuthentication = ["client_secret_basic", "client_secret_post", "none"];

/** What the server can do (RFC 8414, section 2; RFC 9207, section 3). */
export function metadataOf(issuer: string) {
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

/** What clients are told of the authorization server (RFC 8414). */
export type ServerMetadata = ReturnType<typeof metadataOf>;

/** `GET /.well-known/oauth-authorization-server` (RFC 8414): needs no token, and answers the same to everyone. */
export class MetadataEndpoint implements Endpoint {
  readonly methods = ["GET", "HEAD"];
  readonly refuse = refusalAnswer;

  constructor(private readonly metadata: ServerMetadata) {}

  async answer(): Promise<HttpResponse> {
    return {
      status: 200,
      headers: { "content-type": JSON_TYPE, "cache-control": "public, max-age=3600" },
      body: JSON.stringify(this.metadata),
    };
  }
}
