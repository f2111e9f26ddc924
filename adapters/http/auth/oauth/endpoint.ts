import { isLoyaltyError } from "../../../../src/base/errors.js";
import type { HttpRequest, HttpResponse } from "../../index.js";
import { JSON_TYPE } from "../../request/http-message.js";
import { noStoreHeaders, OAuthError } from "./oauth-error.js";

/** An OAuth endpoint with a single path. */
export interface Endpoint {
  readonly methods: readonly string[];
  /**
   * Handles a request.
   * @param onError a callback for errors that don't affect the response.
   * @throws {OAuthError} if the request is refused. Any other error is an internal error.
   */
  handle(request: HttpRequest, onError: (error: unknown) => void): Promise<HttpResponse>;
  /** Builds the response for a refused request: an HTML page for a user, or JSON for an app. */
  buildErrorResponse(error: OAuthError): HttpResponse;
}

/**
 * Handles a request and turns any error into a response.
 * @param onError a callback that receives the cause of any failure that isn't the client's fault.
 */
export async function handleRequest(
  endpoint: Endpoint,
  request: HttpRequest,
  onError: (error: unknown) => void,
): Promise<HttpResponse> {
  const { methods } = endpoint;
  if (!methods.includes(request.method)) {
    const response = endpoint.buildErrorResponse(
      new OAuthError("invalid_request", "this method isn't allowed", 405),
    );
    return { ...response, headers: { ...response.headers, allow: methods.join(", ") } };
  }
  try {
    return await endpoint.handle(request, onError);
  } catch (error) {
    if (error instanceof OAuthError) return endpoint.buildErrorResponse(error);
    onError(error);
    return endpoint.buildErrorResponse(
      isLoyaltyError(error, "storage_unavailable")
        ? new OAuthError("temporarily_unavailable", "try again in a moment")
        : new OAuthError("server_error", "an unexpected error occurred"),
    );
  }
}

/** Builds a JSON response with status 200 and the given headers. */
export function jsonResponse(content: object, headers: HttpResponse["headers"]): HttpResponse {
  return { status: 200, headers: { "content-type": JSON_TYPE, ...headers }, body: JSON.stringify(content) };
}

/** Builds the JSON error response for endpoints that apps call directly. */
export function errorResponse({ code, description, status, retryAfter }: OAuthError): HttpResponse {
  const headers = {
    ...noStoreHeaders,
    ...(code === "invalid_client" && { "www-authenticate": 'Basic realm="OAuth 2.0", charset="UTF-8"' }),
    ...(code === "temporarily_unavailable" && { "retry-after": String(retryAfter) }),
  };
  return { ...jsonResponse({ error: code, error_description: description }, headers), status };
}
