import { credentialOf, type Principal } from "../../../src/access/token-verifier.js";
import type { ProcessorTime } from "../../../src/concurrency/step.js";
import { isLoyaltyError, type LoyaltyError } from "../../../src/errors.js";
import type { CallerOptions } from "../../../src/loyalty-options.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { Organization } from "../../../src/organization.js";
import type { ActorInput } from "../../../src/resources/actor.js";
import type { Scope } from "../../../src/scopes.js";
import { parseAuthorization } from "./headers.js";
import { type HttpRequest, headerValue } from "./http-message.js";
import { RequestAuthentication } from "./request-authentication.js";

/**
 * Returns the principal of a bearer token; `null` if it is unknown, revoked or expired. A `LoyaltyError` with the code
 * `address_not_allowed` is returned to the client.
 * @param address the IP address of the client; `null` if it is unknown.
 */
export type Authenticate = (token: string, address: string | null) => Promise<Principal | null>;

/**
 * Authenticates with the API tokens that the service issued.
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
 * Authenticates with both kinds of token that the service issued: API tokens and OAuth 2.0 access tokens.
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

/** The bearer token of a request. */
export interface Credentials {
  /** `null` if the request has none, or one of a wrong form. */
  readonly token: string | null;
  /** True when a token was sent, even a malformed one or several. */
  readonly presented: boolean;
}

/** Returns the bearer token of a request, if it has one. */
export function parseCredentials(headers: HttpRequest["headers"]): Credentials {
  const { scheme, token } = parseAuthorization(headers) ?? { scheme: "", token: null };
  return scheme === "bearer" ? { token, presented: true } : { token: null, presented: false };
}

/** Asks the request for its signal only when something looks at it: most answers are there before one could stop them. */
class RequestCaller implements CallerOptions {
  readonly scopes: readonly Scope[];
  readonly actor: ActorInput;
  /** A request over HTTP says for itself that it is strict. */
  readonly strict = false;
  /** Is there only where the principal has one. */
  declare readonly user?: string;
  declare readonly session?: string;
  /** `Caller` of `src/tenant/tenant.ts` has it, and the time. */
  declare readonly credential?: ReturnType<typeof credentialOf>;
  readonly #request: HttpRequest;

  /** @param time counts what reads and changes take. */
  constructor(
    principal: Principal,
    request: HttpRequest,
    readonly time: ProcessorTime,
  ) {
    this.scopes = principal.scopes;
    this.actor = getActor(principal);
    if ("user" in principal) this.user = principal.user;
    if (principal.session !== undefined) this.session = principal.session;
    const credential = credentialOf(principal);
    if (credential !== undefined) this.credential = credential;
    this.#request = request;
  }

  get signal(): AbortSignal | undefined {
    return this.#request.signal;
  }
}

const actors = new WeakMap<Principal, ActorInput>();

/** Returns the same object each time for a frozen principal. */
function getActor(principal: Principal): ActorInput {
  const known = actors.get(principal);
  if (known !== undefined) return known;
  const { kind, id = null } = principal.actor ?? { kind: "user" in principal ? "customer" : "token" };
  const actor = Object.freeze({ kind, id, subject: principal.subject || null });
  if (Object.isFrozen(principal)) actors.set(principal, actor);
  return actor;
}

/**
 * The organization as the principal may use it.
 * @param request whose costly reads stop when its client goes away.
 * @param time counts what its calls take.
 * @throws an Error when the host names an impossible one, or no scopes.
 */
export function openOrganization(
  loyalty: LoyaltyService,
  principal: Principal,
  request: HttpRequest,
  time: ProcessorTime,
): Organization {
  // Without scopes the caller would have all rights, like the host's own code.
  if (!Array.isArray(principal.scopes)) throw new Error("authenticate answered without scopes");
  try {
    return loyalty.organization(principal.organizationId, new RequestCaller(principal, request, time));
  } catch (cause) {
    throw new Error("authenticate answered with an organization id, a user or an actor that can't be one", {
      cause,
    });
  }
}

/** The result of authenticating a request. */
export interface AuthenticationResult {
  /** `null` for a stranger. */
  readonly principal: Principal | null;
  /** The key that the requests of this caller are counted by. */
  readonly key: string;
  /** True when a token was sent, even one that is not valid. */
  readonly presented: boolean;
  /** The error for an authenticated caller who is not allowed in; `null` for an anonymous client. */
  readonly refusal: LoyaltyError | null;
}

const MINUTE_MS = 60_000;

const unreadable =
  "a bearer token came that is none by its characters (RFC 6750, section 2.1): it was answered with 401, and authenticate not asked";

/**
 * Creates a function that authenticates requests.
 * @param onError is called for texts that can't be bearer tokens, at most once a minute: a host that issues such tokens would
 *   otherwise search long for the reason.
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
      // Several tokens in one header are a mistake of the caller.
      const isOne = !/[\s,]/.test(headerValue(headers, "authorization")?.replace(/^\S+ +/, "") ?? "");
      if (presented && isOne && now - reportedAt >= MINUTE_MS) {
        reportedAt = now;
        onError(new Error(unreadable));
      }
      return { principal: null, key: "", presented, refusal: null };
    }
    try {
      // A host without types may return undefined.
      const principal = (await authenticate(token, address)) ?? null;
      return { principal, key: token, presented, refusal: null };
    } catch (error) {
      if (!isLoyaltyError(error, "address_not_allowed")) throw error;
      return { principal: null, key: "", presented, refusal: error };
    }
  };
}

/** No token has a space. */
function formatCallerKey(principal: Principal | null): string {
  if (principal === null) return "";
  const { organizationId, subject, user } = principal;
  return JSON.stringify(["by request", organizationId, subject ?? null, user ?? null]);
}
