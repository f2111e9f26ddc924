import { RETRY_AFTER_SECONDS } from "../../error-response.js";

/** The OAuth 2.0 error codes, with the HTTP status of errors that are not sent by a redirect. */
const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  access_denied: 403,
  server_error: 500,
  temporarily_unavailable: 503,
} as const;

type OAuthErrorCode = keyof typeof statuses;

interface OAuthErrorOptions extends ErrorOptions {
  /** Whole seconds until the client may retry. Set only for `temporarily_unavailable`. */
  readonly retryAfter?: number;
}

/** Thrown to reject a request with an error code from RFC 6749, sections 4.1.2.1 and 5.2. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly retryAfter: number;

  /**
   * @param description the error description, in ASCII, without quotes or backslashes. It must not repeat any part of the
   *   request.
   */
  constructor(
    readonly code: OAuthErrorCode,
    readonly description: string,
    readonly status: number = statuses[code],
    { retryAfter = RETRY_AFTER_SECONDS, ...options }: OAuthErrorOptions = {},
  ) {
    super(`${code}: ${description}`, options);
    this.retryAfter = retryAfter;
  }
}

/** Headers that prevent a response from being cached (RFC 6749, section 5.1). */
export const noStoreHeaders = { "cache-control": "no-store", pragma: "no-cache" } as const;
