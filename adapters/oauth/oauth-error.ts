import { RETRY_AFTER_SECONDS } from "../http/error-answer.js";
import type { HttpResponse } from "../http/index.js";
import { JSON_TYPE } from "../http/request/answer-headers.js";

/** Every error of OAuth 2.0 that is answered here, and its HTTP status where it is not sent by a redirect. */
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

/** Any of the errors in the table. */
export type OAuthErrorCode = keyof typeof statuses;

interface OAuthErrorOptions extends ErrorOptions {
  /** Whole seconds after which the request may be sent again; with `temporarily_unavailable` alone. */
  readonly retryAfter?: number;
}

/** A refusal in the words of RFC 6749, sections 4.1.2.1 and 5.2. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly retryAfter: number;

  /** @param description ASCII without quotes and backslashes. It repeats nothing that was sent. */
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

/** Nothing of these answers may be kept by a cache (RFC 6749, section 5.1). */
export const unkept = { "cache-control": "no-store", pragma: "no-cache" } as const;

/** A refusal as the endpoints for apps answer it. */
export function refusalAnswer({ code, description, status, retryAfter }: OAuthError): HttpResponse {
  return {
    status,
    headers: {
      "content-type": JSON_TYPE,
      ...unkept,
      ...(code === "invalid_client" && { "www-authenticate": 'Basic realm="OAuth 2.0", charset="UTF-8"' }),
      ...(code === "temporarily_unavailable" && { "retry-after": String(retryAfter) }),
    },
    body: JSON.stringify({ error: code, error_description: description }),
  };
}
