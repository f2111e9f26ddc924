import { markVersion, refuseOtherVersion } from "../../src/copies.js";
import { guardListener } from "../../src/events/event-emitter.js";
import { serviceInternals } from "../../src/internals.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import { AnonymousRequests } from "./anonymous-requests.js";
import { type HttpExtension, isAmong } from "./extension.js";
import { fetchHandler } from "./fetch.js";
import { OrganizationTimes } from "./rate-limits/organization-times.js";
import {
  type RateLimitOptions,
  TIME_PER_ADDRESS,
  TIME_PER_ORGANIZATION,
  unlimited,
  WindowedRateLimits,
} from "./rate-limits/rate-limits.js";
import { assertTimeQuota } from "./rate-limits/store.js";
import { type Authenticate, createAuthenticator } from "./request/authentication.js";
import {
  type HttpRequest,
  type HttpResponse,
  isApiPath,
  normalizedPrefix,
  splitUrl,
} from "./request/http-message.js";
import type { RequestAuthentication } from "./request/request-authentication.js";
import { RequestHandler } from "./request-handler.js";
import { type ResponseListener, withRequestLog } from "./request-log.js";
import { withTracing } from "./with-tracing.js";

export interface HttpApiOptions {
  /**
   * Returns the principal of a bearer token, see `apiTokens`, or of a request, see `authenticateByRequest`. Errors that it throws
   * become responses like any other error.
   */
  readonly authenticate: Authenticate | RequestAuthentication;
  /** OAuth 2.0 endpoints to serve in addition to the API: see `createOAuth` in `loyalty-kit/auth`. */
  readonly oauth?: HttpExtension;
  /** Extensions to serve in addition to the API, such as the console: see `createConsole` in `loyalty-kit/console`. */
  readonly extensions?: readonly HttpExtension[];
  /**
   * The path under which the host serves `fetch` or `nodeListener`, such as `/loyalty`. It is stripped from request paths that
   * contain it and included in links. With Express and Fastify it isn't needed, because they know where their routers are mounted.
   */
  readonly basePath?: string;
  /** Limits how often the API may be called; `false` sets no limits. Default: 1,000 requests a minute per token. */
  readonly rateLimits?: RateLimitOptions | false;
  /**
   * Returns the client's IP address for `fetch`, because a `Request` doesn't contain it: from a header set by the host's proxy, or
   * from the server. `null` if unknown. Other mounts get it from their server.
   */
  readonly addressOf?: (request: Request) => string | null;
  /**
   * Receives the cause of every 500 and 503, of a list that failed while it was streamed, and of a failing rate limit store.
   * Default: `console.error`.
   */
  readonly onError?: (error: unknown) => void;
  /** Called for every response, for logs and metrics. If set, each response has an `X-Request-Id`. */
  readonly onResponse?: ResponseListener;
}

/** The HTTP interface, independent of any server. */
export interface HttpApi {
  /** Handles a request. A failure becomes a response too. */
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>;
  /**
   * Handles a web-standard request with any path.
   * @throws {TypeError} if the host has already consumed the request's body.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Returns whether the API responds to a path itself, even if only with 404: `/v` with digits and everything below, and the paths
   * of OAuth 2.0 and of extensions. All other paths are the host's.
   */
  readonly owns: (path: string) => boolean;
  /** The path under which the host serves the API, such as `/loyalty`; empty for the root. */
  readonly basePath: string;
  /** The paths that the API serves in addition to its versions. A path that ends in `/*` matches all paths below it. */
  readonly extraPaths: readonly string[];
}

/**
 * Creates a service's HTTP interface, to be served by Express, Fastify, `node:http` or any server that supports `fetch`.
 * @throws {RangeError} if a rate limit is invalid.
 * @example
 * import { apiTokens, createHttpApi, nodeServer } from "loyalty-kit/http";
 *
 * const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
 * nodeServer(api).listen(3000);
 */
export function createHttpApi(loyalty: LoyaltyService, options: HttpApiOptions): HttpApi {
  refuseOtherVersion(loyalty, "LoyaltyService");
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
  const handler = new RequestHandler(
    loyalty,
    createAuthenticator(authenticate, onError),
    limits,
    timePerOrganization === false ? null : new OrganizationTimes(loyalty, timePerOrganization),
    new AnonymousRequests(timePerAddress),
    onError,
    extensions,
  );
  const { onResponse } = options;
  const answer =
    onResponse === undefined
      ? handler.handle.bind(handler)
      : withRequestLog((request, seen) => handler.handle(request, seen), onResponse);
  const { tracer } = serviceInternals(loyalty);
  const handle = tracer === null ? answer : withTracing(answer, tracer);
  const extraPaths = extensions.flatMap(({ paths }) => paths);
  const prefix = normalizedPrefix(basePath);
  return markVersion({
    handle,
    basePath: prefix,
    fetch: fetchHandler(handle, prefix, addressOf),
    owns: (path) => isApiPath(path) || isAmong(extraPaths, splitUrl(path).path),
    extraPaths,
  });
}
