import { unfailing } from "../../src/events.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { Authenticate } from "./authentication.js";
import { fetchHandler } from "./fetch.js";
import type { HttpRequest, HttpResponse } from "./message.js";
import { isOwned, normalizedPrefix } from "./path.js";
import { RequestHandler } from "./request-handler.js";

export interface HttpApiOptions {
  /** Tells whom a bearer token speaks for; see `apiTokens`. What it throws is answered like any other error. */
  readonly authenticate: Authenticate;
  /**
   * The path under which the host serves `fetch`, such as `/loyalty`. It is stripped where it is there, and put
   * into links. The other mounts know their place by themselves.
   */
  readonly basePath?: string;
  /** Told the cause of every 500 and 503, and of a list that broke while it was streamed. `console.error` unless given. */
  readonly onError?: (error: unknown) => void;
}

/** The HTTP interface, tied to no server. */
export interface HttpApi {
  /** Answers a request; a failure is an answer too. */
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>;
  /**
   * Answers a web-standard request, any path.
   * @throws {TypeError} when the host has read the body of the request before.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * True for a path that the API answers itself even when nothing is there: `/v` with digits, and everything
   * below. Beside routes of the host, all other paths are the host's.
   */
  readonly owns: (path: string) => boolean;
}

/** The HTTP interface of a service, for Express, Fastify, `node:http` or whatever speaks `fetch` to serve. */
export function createHttpApi(loyalty: LoyaltyService, options: HttpApiOptions): HttpApi {
  const { authenticate, basePath = "", onError = (error: unknown) => console.error(error) } = options;
  const handler = new RequestHandler(loyalty, authenticate, unfailing(onError));
  const handle = (request: HttpRequest) => handler.handle(request);
  return { handle, fetch: fetchHandler(handle, normalizedPrefix(basePath)), owns: isOwned };
}
