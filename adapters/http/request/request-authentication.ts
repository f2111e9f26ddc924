import { shareAcrossCopies } from "../../../src/base/copies.js";
import type { Principal } from "../../../src/kernel/caller-rights.js";
import { cookieIn, type HttpRequest, headerValue } from "./http-message.js";

import { isOrigin, isSameOrigin } from "./same-origin.js";

/** The parts of a request that a host can use to identify the caller. */
export interface IncomingCall {
  /** The HTTP method in uppercase, such as `POST`. */
  readonly method: string;
  /** The URL's path and query, relative to the path where the API is mounted. */
  readonly url: string;
  /** The client's IP address, or `null` if it is unknown. */
  readonly address: string | null;
  /**
   * The request object from Express, Fastify, or `node:http`, or the web-standard `Request`. It can hold the host's session, user,
   * or connection.
   */
  readonly source: unknown;
  /** Returns a header, with repeated values joined by commas, or `null` if it was not sent. */
  header(name: string): string | null;
  /** Returns a cookie's raw value, or `null` if the cookie is missing or its name occurs more than once. */
  cookie(name: string): string | null;
}

/** Returns the principal that a request represents, or `null` if the request doesn't identify one. */
export type AuthenticateRequest = (call: IncomingCall) => Promise<Principal | null>;

export interface ByRequestOptions {
  /**
   * Additional origins whose pages are allowed to call the API from a browser, such as `https://shop.example`. Pages on the API's
   * own origin are always allowed.
   */
  readonly origins?: readonly string[];
}

/** Authenticates callers using the whole request instead of a bearer token. Created by {@link authenticateByRequest}. */
export class RequestAuthentication {
  static {
    shareAcrossCopies(RequestAuthentication, "RequestAuthentication");
  }

  private readonly trusted: ReadonlySet<string>;

  constructor(
    private readonly authenticate: AuthenticateRequest,
    { origins = [] }: ByRequestOptions,
  ) {
    const invalidOrigin = origins.find((origin) => !isOrigin(origin));
    if (invalidOrigin !== undefined) {
      throw new TypeError(
        `origins must be as browsers write them, such as https://shop.example, unlike ${invalidOrigin}`,
      );
    }
    this.trusted = new Set(origins);
  }

  /** Returns the principal that a request represents, or `null` if its credential is missing or invalid. */
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
 * Creates an authenticator that uses the whole request, for example a cookie, a client certificate, or a custom header:
 * `createHttpApi(loyalty, { authenticate: authenticateByRequest(async (call) => …) })`. A request that changes data counts as
 * unauthenticated (401) if it might have been sent by a page from another origin.
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
