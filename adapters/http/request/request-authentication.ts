import type { Principal } from "../../../src/access/token-verifier.js";
import { shareAcrossCopies } from "../../../src/copies.js";
import { cookieIn } from "./headers.js";
import { type HttpRequest, headerValue } from "./http-message.js";
import { isOrigin, isSameOrigin } from "./same-origin.js";

/** The parts of a request that can identify the caller. */
export interface IncomingCall {
  readonly method: string;
  /** Path and query below the mount. */
  readonly url: string;
  /** The IP address of the client; `null` if unknown. */
  readonly address: string | null;
  /**
   * The server's or framework's own request object, which may carry the host's session, user or connection: from Express, Fastify
   * or `node:http`, or a web-standard `Request`.
   */
  readonly source: unknown;
  /** Returns a header, with repeated values joined by commas; `null` if it was not sent. */
  header(name: string): string | null;
  /** Returns a cookie's raw value; `null` if the cookie is missing or its name occurs more than once. */
  cookie(name: string): string | null;
}

/** Returns the principal that a request comes from; `null` if the request doesn't identify one. */
export type AuthenticateRequest = (call: IncomingCall) => Promise<Principal | null>;

export interface ByRequestOptions {
  /** Origins of pages, such as `https://shop.example`, that may call from a browser in addition to the API's own origin. */
  readonly origins?: readonly string[];
}

/** Authenticates requests by something other than a bearer token. */
export class RequestAuthentication {
  static {
    shareAcrossCopies(RequestAuthentication, "RequestAuthentication");
  }

  private readonly trusted: ReadonlySet<string>;

  constructor(
    private readonly authenticate: AuthenticateRequest,
    { origins = [] }: ByRequestOptions,
  ) {
    const wrong = origins.find((origin) => !isOrigin(origin));
    if (wrong !== undefined) {
      throw new TypeError(
        `origins must be as browsers write them, such as https://shop.example, unlike ${wrong}`,
      );
    }
    this.trusted = new Set(origins);
  }

  async principalOf(request: HttpRequest): Promise<Principal | null> {
    return this.isForged(request) ? null : ((await this.authenticate(callOf(request))) ?? null);
  }

  /** Returns whether a page from another origin may have made the browser send a request that changes something. */
  private isForged(request: HttpRequest): boolean {
    const { method } = request;
    if (method === "GET" || method === "HEAD") return false;
    return !isSameOrigin(request, { trusted: this.trusted });
  }
}

/**
 * Authenticates by the request itself: a cookie, a client certificate, or a custom header. `createHttpApi(loyalty, { authenticate:
 * authenticateByRequest(async (call) => …) })`. A changing request that a page from another origin may have made a browser send
 * counts as unauthenticated (401).
 * @throws {TypeError} if one of the `origins` is invalid.
 * @example
 * import { authenticateByRequest, createHttpApi } from "loyalty-kit/http";
 *
 * const sessions = new Map([["s-1", { organizationId: "cafe", scopes: ["user:read"] as const }]]);
 * const authenticate = authenticateByRequest(async (call) => sessions.get(call.cookie("session") ?? "") ?? null);
 * const api = createHttpApi(loyalty, { authenticate });
 */
export function authenticateByRequest(
  authenticate: AuthenticateRequest,
  options: ByRequestOptions = {},
): RequestAuthentication {
  return new RequestAuthentication(authenticate, options);
}

function callOf({ method, url, headers, address, source }: HttpRequest): IncomingCall {
  return {
    method,
    url,
    address,
    source,
    header: (name) => headerValue(headers, name.toLowerCase()),
    cookie: (name) => cookieIn(headers, name),
  };
}
