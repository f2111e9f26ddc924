import { type HttpRequest, type HttpResponse, splitUrl } from "./request/http-message.js";
import { findRoute } from "./routes.js";

/**
 * A request and its response, as passed to the request log. Apart from the method and the request ID, it contains no data that
 * the client controls.
 */
export interface RequestLogEntry {
  /**
   * The request's ID. This is the client's `X-Request-Id` if it consists of 1 to 128 letters, digits, and `._~-`, or a new UUID
   * otherwise.
   */
  readonly id: string;
  /** The HTTP method in uppercase, such as `POST`. */
  readonly method: string;
  /** The path pattern of the matching route, such as `/v1/users/{userId}`, or `null` if no route matches. */
  readonly route: string | null;
  /** The caller's organization, or `null` if the caller was not authenticated. */
  readonly organizationId: string | null;
  /** The HTTP status of the response, or 499 if the client disconnected first. */
  readonly status: number;
  /** The time until the response was ready to send, in milliseconds. Sending a streamed list can take longer. */
  readonly duration: number;
}

/** Called with each request once its response is ready to send. */
export type ResponseListener = (request: RequestLogEntry) => void;

/** Information collected about a request while it is being handled. */
export interface RequestInfo {
  organizationId: string | null;
}

const REQUEST_ID = "x-request-id";

const validIdPattern = /^[A-Za-z0-9._~-]{1,128}$/;

/** Wraps a request handler so that every response has an `X-Request-Id` and every request is reported to the listener. */
export function withRequestLog(
  handle: (request: HttpRequest, info: RequestInfo) => Promise<HttpResponse>,
  listener: ResponseListener,
): (request: HttpRequest) => Promise<HttpResponse> {
  return async (request) => {
    const startedAt = performance.now();
    const id = findOrCreateId(request.headers);
    const info: RequestInfo = { organizationId: null };
    const response = await handle(request, info);
    const { method, url } = request;
    listener({
      id,
      method,
      route: findRoute(method, splitUrl(url).path)?.target.route.path ?? null,
      organizationId: info.organizationId,
      status: response.status,
      duration: performance.now() - startedAt,
    });
    return { ...response, headers: { ...response.headers, [REQUEST_ID]: id } };
  };
}

function findOrCreateId(headers: HttpRequest["headers"]): string {
  for (const [name, value] of headers) {
    if (name.toLowerCase() === REQUEST_ID && validIdPattern.test(value)) return value;
  }
  return crypto.randomUUID();
}
