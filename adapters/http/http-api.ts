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
   * are answered like any other error.
   */
  readonly authenticate: Authenticate | RequestAuthentication;
  /** The OAuth 2.0 endpoints to serve beside the API: see `createOAuth` of `loyalty-kit/auth`. */
  readonly oauth?: HttpExtension;
  /** Extensions to serve beside the API, for example the console: see `createConsole` of `loyalty-kit/console`. */
  readonly extensions?: readonly HttpExtension[];
  /**
   * The path under which the host serves `fetch` or `nodeListener`, such as `/loyalty`. It is stripped where it is there, and put
   * into links. Express and Fastify know the place of their routers.
   */
  readonly basePath?: string;
  /** Limits how often the API may be called; `false` sets no limits. The default allows 1,000 requests a minute and token. */
  readonly rateLimits?: RateLimitOptions | false;
  /**
   * Returns the IP address of the client of `fetch`, which a request doesn't contain: from a header of the host's proxy, or from
   * the server. Other mounts ask their server. `null` if it is unknown.
   */
  readonly addressOf?: (request: Request) => string | null;
  /**
   * Receives the cause of every 500 and 503, of a list that failed while it was streamed, and of a failing rate limit store.
   * Default: `console.error`.
   */
  readonly onError?: (error: unknown) => void;
  /** Called for every response, for logs and metrics; with it each response has an `X-Request-Id`. */
  readonly onResponse?: ResponseListener;
}

/** The HTTP interface, tied to no server. */
export interface HttpApi {
  /** Answers a request; a failure is an answer too. */
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>;
  /**
   * Answers a web-standard request, any path.
   * @throws {TypeError} if the host has read the body of the request before.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Returns whether the API answers a path itself, even with 404: `/v` with digits and everything below, and the paths of OAuth 2.0
   * and of extensions. All other paths are the host's.
   */
  readonly owns: (path: string) => boolean;
  /** The path under which the host serves it, such as `/loyalty`; empty for the root. */
  readonly basePath: string;
  /** The paths that it answers besides its versions. A path that ends in `/*` matches all paths below it. */
  readonly extraPaths: readonly string[];
}

/**
 * The HTTP interface of a service, for Express, Fastify, `node:http` or whatever speaks `fetch` to serve.
 * @throws {RangeError} if a rate limit can't be one.
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
