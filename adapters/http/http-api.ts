import { assertSameVersion, markVersion } from "../../src/base/copies.js";
import { describeFailure, type Tracer } from "../../src/base/tracing.js";
import { serviceInternals } from "../../src/internals.js";
import { guardListener } from "../../src/kernel/events/event-emitter.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import { AnonymousRequests } from "./anonymous-requests.js";
import { type HttpExtension, matchesAnyPath } from "./extension.js";
import { OrganizationTimes } from "./rate-limits/organization-times.js";
import {
  type RateLimitOptions,
  TIME_PER_ADDRESS,
  TIME_PER_ORGANIZATION,
  unlimited,
  WindowedRateLimits,
} from "./rate-limits/rate-limits.js";
import { assertTimeQuota } from "./rate-limits/store.js";
import {
  type Authenticate,
  createAuthenticator,
  type RequestAuthentication,
} from "./request/authentication.js";
import {
  type HttpBody,
  type HttpRequest,
  type HttpResponse,
  isApiPath,
  normalizePrefix,
  splitUrl,
  stripOrigin,
  stripPort,
  stripPrefix,
} from "./request/http-message.js";
import { RequestHandler } from "./request-handler.js";
import { type ResponseListener, withRequestLog } from "./request-log.js";
import { findRoute } from "./routes.js";

/** Maximum number of bytes that are drained from an unread body. */
const MAX_DRAINED_BYTES = 16_777_216;

/** The methods that a span may name. A client can send any text as the method. */
const httpMethods: ReadonlySet<string> = new Set(
  "CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE".split(" "),
);

export interface HttpApiOptions {
  /**
   * Authenticates callers, either by bearer token (see `apiTokens`) or by any part of the request (see `authenticateByRequest`). An
   * error thrown during authentication is handled like any other error.
   */
  readonly authenticate: Authenticate | RequestAuthentication;
  /** OAuth 2.0 endpoints to serve in addition to the API. See `createOAuth` in `loyalty-kit/auth`. */
  readonly oauth?: HttpExtension;
  /** Extensions to serve in addition to the API, such as the console. See `createConsole` in `loyalty-kit/console`. */
  readonly extensions?: readonly HttpExtension[];
  /**
   * The path where the host mounts `fetch` or `nodeListener`, such as `/loyalty`. It is stripped from request paths and included
   * in links. Express and Fastify don't need it, because they know where the API is mounted.
   */
  readonly basePath?: string;
  /** Limits on how often clients can call the API, or `false` for no limits. Default: 1,000 requests per minute per token. */
  readonly rateLimits?: RateLimitOptions | false;
  /**
   * Returns the client's IP address for a request passed to `fetch`, for example as reported by the server or by a header that the
   * host's proxy sets. Returns `null` if the address is unknown. Only `fetch` needs this, because a `Request` doesn't contain the
   * address.
   */
  readonly addressOf?: (request: Request) => string | null;
  /**
   * Receives the cause of every 500 and 503 response, as well as errors from streamed lists and from the rate limit store. Default:
   * `console.error`.
   */
  readonly onError?: (error: unknown) => void;
  /**
   * Called for every response, for example to write logs or update metrics. If set, every response includes an `X-Request-Id`
   * header.
   */
  readonly onResponse?: ResponseListener;
}

/** A service's HTTP API, which can be served by any server or framework. */
export interface HttpApi {
  /** Handles a request. If handling fails, resolves to an error response instead of rejecting. */
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>;
  /**
   * Handles a web-standard request for any path.
   * @throws {TypeError} if the host has already consumed the request's body.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Returns whether the API handles requests for a path, even if only with a 404 response. The API handles `/v` followed by
   * digits, every path below that, and the paths of the OAuth 2.0 endpoints and extensions. All other paths are left to the host.
   */
  readonly owns: (path: string) => boolean;
  /** The path where the host mounts the API, such as `/loyalty`, or an empty string for the root. */
  readonly basePath: string;
  /** The paths that the API serves in addition to its versioned paths. A path that ends in `/*` matches every path below it. */
  readonly extraPaths: readonly string[];
}

/**
 * Creates a service's HTTP API. Serve it with Express, Fastify, `node:http`, or any server that supports `fetch`.
 * @throws {RangeError} if a rate limit is invalid.
 * @example
 * import { apiTokens, createHttpApi, nodeServer } from "loyalty-kit/http";
 *
 * const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
 * nodeServer(api).listen(3000);
 */
export function createHttpApi(loyalty: LoyaltyService, options: HttpApiOptions): HttpApi {
  assertSameVersion(loyalty, "LoyaltyService");
  const { authenticate, oauth, basePath = "", rateLimits = {}, addressOf = () => null } = options;
  const onError = guardListener(options.onError ?? ((error) => console.error(error)));
  const limits =
    rateLimits === false
      ? unlimited
      : new WindowedRateLimits(rateLimits, () => serviceInternals(loyalty).now(), onError);
  const timePerAddress = rateLimits === false ? null : (rateLimits.timePerAddress ?? TIME_PER_ADDRESS);
  const timePerOrganization =
    rateLimits !== false && (rateLimits.timePerOrganization ?? TIME_PER_ORGANIZATION);
  for (const quota of [timePerAddress, timePerOrganization]) if (quota) assertTimeQuota(quota);
  const extensions = [...(oauth === undefined ? [] : [oauth]), ...(options.extensions ?? [])];
  const handler = new RequestHandler(loyalty, {
    identify: createAuthenticator(authenticate, onError),
    limits,
    times: timePerOrganization === false ? null : new OrganizationTimes(loyalty, timePerOrganization),
    anonymousRequests: new AnonymousRequests(timePerAddress),
    onError,
    extensions,
  });
  const { onResponse } = options;
  const handleLogged =
    onResponse === undefined
      ? handler.handle.bind(handler)
      : withRequestLog((request, info) => handler.handle(request, info), onResponse);
  const { tracer } = serviceInternals(loyalty);
  const handle = tracer === null ? handleLogged : withTracing(handleLogged, tracer);
  const extraPaths = extensions.flatMap(({ paths }) => paths);
  const prefix = normalizePrefix(basePath);
  return markVersion({
    handle,
    basePath: prefix,
    fetch: createFetchHandler(handle, prefix, addressOf),
    owns: (path) => isApiPath(path) || matchesAnyPath(extraPaths, splitUrl(path).path),
    extraPaths,
  });
}

/**
 * Wraps a request handler so that each request runs in a span that follows OpenTelemetry's semantic conventions for HTTP servers.
 * The span contains no text from the client. For example, it contains the route's path pattern instead of the request's path.
 */
function withTracing(
  handle: (request: HttpRequest) => Promise<HttpResponse>,
  tracer: Tracer,
): (request: HttpRequest) => Promise<HttpResponse> {
  return async (request) => {
    const { method, url, prefix, headers } = request;
    const route = findRoute(method, splitUrl(url).path)?.target.route.path;
    const isKnown = httpMethods.has(method);
    const verb = isKnown ? method : "HTTP";
    const span = tracer.begin({
      name: route === undefined ? verb : `${verb} ${prefix}${route}`,
      kind: "server",
      attributes: {
        "http.request.method": isKnown ? method : "_OTHER",
        ...(route !== undefined && { "http.route": prefix + route }),
      },
      headers,
    });
    try {
      const response = await span.run(() => handle(request));
      const { status } = response;
      span.set({ "http.response.status_code": status });
      span.end(status < 500 ? null : { type: String(status), cause: null });
      return response;
    } catch (error) {
      span.end(describeFailure(error));
      throw error;
    }
  };
}

/**
 * Creates a handler for web-standard requests.
 * @param prefix the path prefix to strip from request paths. Other paths are left unchanged.
 * @param addressOf a function that returns the client's address, or `null` if it is unknown.
 */
function createFetchHandler(
  handle: (request: HttpRequest) => Promise<HttpResponse>,
  prefix: string,
  addressOf: (request: Request) => string | null,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const [target = ""] = stripOrigin(request.url).split("#", 1);
    const { method } = request;
    const body = readRequestBody(request);
    const address = addressOf(request);
    const isHttps = request.url.startsWith("https:");
    const response = await handle({
      method,
      url: stripPrefix(target, prefix),
      headers: addHostHeader(request),
      body,
      prefix,
      address: address === null ? null : stripPort(address),
      isHttps,
      signal: request.signal,
      source: request,
    });
    void drain(request);
    const { status } = response;
    return new Response(toBodyInit(response.body), { status, headers: response.headers });
  };
}

/** Returns the headers including Host. A request created in this process has its host only in the URL. */
function addHostHeader({ headers, url }: Request): HttpRequest["headers"] {
  return headers.has("host") ? headers : [...headers, ["host", new URL(url).host]];
}

function readRequestBody({ body, bodyUsed }: Request): HttpBody {
  if (bodyUsed) throw new TypeError("the host has read the body of the request; give the API a clone of it");
  // Canceling would make some servers close the connection before the response is read.
  return body === null
    ? { kind: "none" }
    : { kind: "bytes", chunks: { [Symbol.asyncIterator]: () => body.values({ preventCancel: true }) } };
}

/** Reads the rest of a body, up to a limit. Otherwise some servers close the connection, and the response is lost. */
async function drain({ body }: Request): Promise<void> {
  if (body === null) return;
  try {
    const reader = body.getReader();
    for (let remaining = MAX_DRAINED_BYTES; remaining > 0; ) {
      const { done, value } = await reader.read();
      if (done) return;
      remaining -= value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The client disconnected; the rest of its body isn't needed.
  }
}

function toBodyInit(body: HttpResponse["body"]) {
  const isWhole = body === null || typeof body === "string" || body instanceof Uint8Array;
  return isWhole ? body : createStream(body);
}

function createStream(chunks: AsyncIterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const step = await iterator.next();
        if (step.done) controller.close();
        else controller.enqueue(typeof step.value === "string" ? encoder.encode(step.value) : step.value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    // Nothing is produced before it is read.
    { highWaterMark: 0 },
  );
}
