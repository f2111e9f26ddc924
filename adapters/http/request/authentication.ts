import type { ActorInput } from "../../../src/access/actor-schema.js";
import type { ProcessorTime } from "../../../src/base/concurrency/step.js";
import { shareAcrossCopies } from "../../../src/base/copies.js";
import { isLoyaltyError, type LoyaltyError } from "../../../src/base/errors.js";
import type { Scope } from "../../../src/base/scopes.js";
import { MINUTE_MS } from "../../../src/base/values/clock.js";
import { getCredential, type Principal } from "../../../src/kernel/caller-rights.js";
import type { CallerOptions } from "../../../src/loyalty-options.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { Organization } from "../../../src/organization.js";
import { getCookie, getHeaderValue, type HttpRequest, parseAuthorization } from "./http-message.js";
import { isOrigin, isSameOrigin } from "./same-origin.js";

/**
 * Returns the principal that a bearer token represents, or `null` if the token is unknown, revoked, or expired. To reject a client
 * based on its address, throw a `LoyaltyError` with the code `address_not_allowed`. The error is sent to the client.
 * @param address the client's IP address, or `null` if it is unknown.
 */
export type Authenticate = (token: string, address: string | null) => Promise<Principal | null>;

/**
 * Creates a function that authenticates requests using the API tokens that the service has issued.
 *
 * @example
 * import { apiTokens, createHttpApi } from "loyalty-kit/http";
 *
 * const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
 * const { token } = await cafe.apiTokens.create({ name: "till", scopes: ["user:read", "pass:update"] });
 */
export function apiTokens(loyalty: LoyaltyService): Authenticate {
  return (token, address) => loyalty.verifyApiToken(token, address);
}

/**
 * Creates a function that authenticates requests using either kind of token that the service issues: API tokens or OAuth 2.0 access
 * tokens.
 *
 * @example
 * import { bearerTokens, createHttpApi } from "loyalty-kit/http";
 * import { createOAuth } from "loyalty-kit/auth";
 *
 * const signedIn = () => ({ redirect: "https://cafe.example/login" });
 * const oauth = createOAuth(loyalty, { issuer: "https://cafe.example", signedIn });
 * const api = createHttpApi(loyalty, { authenticate: bearerTokens(loyalty), oauth });
 */
export function bearerTokens(loyalty: LoyaltyService): Authenticate {
  return (token, address) => loyalty.verifyToken(token, address);
}

export interface Credentials {
  /** The token, or `null` if there is none or it is malformed. */
  readonly token: string | null;
  /** Whether a token was sent, even if it was malformed or sent more than once. */
  readonly presented: boolean;
}

/** Parses the bearer token in a request's `Authorization` header. */
export function parseCredentials(headers: HttpRequest["headers"]): Credentials {
  const { scheme, token } = parseAuthorization(headers) ?? { scheme: "", token: null };
  return scheme === "bearer" ? { token, presented: true } : { token: null, presented: false };
}

/**
 * The caller behind a request. It reads the request's signal only on demand, because most responses are finished before anything
 * could abort them.
 */
class RequestCaller implements CallerOptions {
  readonly scopes: readonly Scope[];
  readonly actor: ActorInput;
  /** Always `false`, because each HTTP request chooses for itself whether it is strict. */
  readonly strict = false;
  /** Present only if the principal has a user. */
  declare readonly user?: string;
  declare readonly session?: string;
  /** Declared, like `time`, by `Caller` in `src/kernel/tenant.ts`. */
  declare readonly credential?: ReturnType<typeof getCredential>;
  readonly #request: HttpRequest;

  /** @param time counts the time that reads and changes take. */
  constructor(
    principal: Principal,
    request: HttpRequest,
    readonly time: ProcessorTime,
  ) {
    this.scopes = principal.scopes;
    this.actor = getActor(principal);
    if ("user" in principal) this.user = principal.user;
    if (principal.session !== undefined) this.session = principal.session;
    const credential = getCredential(principal);
    if (credential !== undefined) this.credential = credential;
    this.#request = request;
  }

  get signal(): AbortSignal | undefined {
    return this.#request.signal;
  }
}

const actors = new WeakMap<Principal, ActorInput>();

/** Returns the principal's actor; always the same object for a frozen principal. */
function getActor(principal: Principal): ActorInput {
  const cached = actors.get(principal);
  if (cached !== undefined) return cached;
  const { kind, id = null } = principal.actor ?? { kind: "user" in principal ? "customer" : "token" };
  const actor = Object.freeze({ kind, id, subject: principal.subject || null });
  if (Object.isFrozen(principal)) actors.set(principal, actor);
  return actor;
}

/**
 * Opens the principal's organization, with access limited to what the principal's scopes and user allow.
 * @param request the request to handle. Long reads stop if the client disconnects.
 * @param time the counter that measures the processor time of the organization's calls.
 * @throws an Error if the host's principal has no scopes, or has an invalid organization ID, user, or actor.
 */
export function openOrganization(
  loyalty: LoyaltyService,
  principal: Principal,
  request: HttpRequest,
  time: ProcessorTime,
): Organization {
  // Without scopes, the caller would have all rights, like the host's own code.
  if (!Array.isArray(principal.scopes)) throw new Error("authenticate answered without scopes");
  try {
    return loyalty.organization(principal.organizationId, new RequestCaller(principal, request, time));
  } catch (cause) {
    throw new Error("authenticate returned an invalid organization id, user or actor", {
      cause,
    });
  }
}

export interface AuthenticationResult {
  /** The authenticated caller, or `null` for an anonymous client. */
  readonly principal: Principal | null;
  /** The key used to count this caller's requests. */
  readonly key: string;
  /** Whether a token was sent, even an invalid one. */
  readonly presented: boolean;
  /** The error to send if the token is valid but the caller must be refused for another reason, or `null` otherwise. */
  readonly refusal: LoyaltyError | null;
}

const unreadableTokenMessage =
  "a request had a bearer token with characters that RFC 6750, section 2.1, doesn't allow; it was rejected with 401 without calling authenticate";

/**
 * Creates a function that authenticates requests.
 * @param onError a callback that receives an error, at most once a minute, when a request presents a string that can't be a bearer
 *   token. The error helps hosts notice if they issue malformed tokens.
 */
export function createAuthenticator(
  authenticate: Authenticate | RequestAuthentication,
  onError: (error: unknown) => void,
): (request: HttpRequest, credentials: Credentials) => Promise<AuthenticationResult> {
  if (authenticate instanceof RequestAuthentication) {
    return async (request) => {
      const principal = await authenticate.principalOf(request);
      return { principal, key: formatCallerKey(principal), presented: false, refusal: null };
    };
  }
  let reportedAt = Number.NEGATIVE_INFINITY;
  return async ({ headers, address }, { token, presented }) => {
    if (token === null) {
      const now = performance.now();
      // Several tokens in one header are the caller's mistake, not the host's.
      const isSingleToken = !/[\s,]/.test(
        getHeaderValue(headers, "authorization")?.replace(/^\S+ +/, "") ?? "",
      );
      if (presented && isSingleToken && now - reportedAt >= MINUTE_MS) {
        reportedAt = now;
        onError(new Error(unreadableTokenMessage));
      }
      return { principal: null, key: "", presented, refusal: null };
    }
    try {
      // A host without type checking may return undefined.
      const principal = (await authenticate(token, address)) ?? null;
      return { principal, key: token, presented, refusal: null };
    } catch (error) {
      if (!isLoyaltyError(error, "address_not_allowed")) throw error;
      return { principal: null, key: "", presented, refusal: error };
    }
  };
}

/** Returns the key for counting the principal's requests. It can't equal a token because it contains a space. */
function formatCallerKey(principal: Principal | null): string {
  if (principal === null) return "";
  const { organizationId, subject, user } = principal;
  return JSON.stringify(["by request", organizationId, subject ?? null, user ?? null]);
}

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
    return this.isForged(request) ? null : ((await this.authenticate(toIncomingCall(request))) ?? null);
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

function toIncomingCall({ method, url, headers, address, source }: HttpRequest): IncomingCall {
  return {
    method,
    url,
    address,
    source,
    header: (name) => getHeaderValue(headers, name.toLowerCase()),
    cookie: (name) => getCookie(headers, name),
  };
}
