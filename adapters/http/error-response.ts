import type { MissingResource } from "../../src/base/error-messages.js";
import { createLoyaltyError, type ErrorCode, type LoyaltyError } from "../../src/base/errors.js";
import type { Scope } from "../../src/base/scopes.js";
import { organizationInternals } from "../../src/internals.js";
import type { Organization } from "../../src/organization.js";
import { jsonHeaders, type ResponseHeaders } from "./request/http-message.js";

/** Number of seconds that clients should wait before retrying if storage was unavailable or the idempotency key was in use. */
export const RETRY_AFTER_SECONDS = 1;

/** The status to log if the client disconnected before it received a response. This status is never sent. */
export const CLIENT_CLOSED_STATUS = 499;

/** The format of an error response's body. Most error codes use `General`. */
export type ErrorFormat = "General" | "AccessDenied" | "StandardValidation" | "CustomValidation";

/** Returns the format of the error response for this code. Most codes use `General`. */
export function getErrorFormat(code: ErrorCode): ErrorFormat {
  switch (code) {
    case "access_denied":
      return "AccessDenied";
    case "validation_failed":
      return "StandardValidation";
    case "user_already_exists":
    case "more_than_bought":
      return "CustomValidation";
    default:
      return "General";
  }
}

/** An error response with its body already serialized. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: string;
}

/**
 * Builds the response for an error.
 * @param headers the headers to send in addition to the error's own headers.
 */
export function errorResponse(
  error: LoyaltyError,
  headers: Readonly<Record<string, string>> = {},
): ErrorResponse {
  return {
    status: error.status,
    headers: { ...jsonHeaders(), ...buildErrorHeaders(error), ...headers },
    body: JSON.stringify(buildErrorBody(error)),
  };
}

function buildErrorHeaders({ detail }: LoyaltyError): ResponseHeaders {
  switch (detail.code) {
    case "access_denied":
      // RFC 6750, section 3.
      return { "www-authenticate": `Bearer error="insufficient_scope", scope="${detail.scope}"` };
    case "unauthorized":
      return { "www-authenticate": 'Bearer error="invalid_token"' };
    case "storage_unavailable":
    case "idempotency_key_in_use":
      return { "retry-after": String(RETRY_AFTER_SECONDS) };
    default:
      return {};
  }
}

/** The errors whose first param is a time to wait for. */
const codesWithRetryTime: ReadonlySet<ErrorCode> = new Set([
  "pass_notified_recently",
  "message_tested_recently",
  "person_mailed_recently",
  "rate_limit_exceeded",
]);

/** Returns the `Retry-After` header for a temporary error, in whole seconds. Returns no headers for other errors. */
export function retryHeaders({ detail }: LoyaltyError, now: number): Readonly<Record<string, string>> {
  const [time] = codesWithRetryTime.has(detail.code) && "params" in detail ? (detail.params ?? []) : [];
  if (time === undefined) return {};
  const remainingMs = Date.parse(time) - now;
  return { "retry-after": String(Math.max(1, Math.ceil(remainingMs / 1_000))) };
}

/**
 * Builds the 401 response.
 * @param hasCredential whether the request contained a token, even an invalid one.
 */
export function unauthorizedResponse(hasCredential: boolean): ErrorResponse {
  const challenge = hasCredential ? 'Bearer error="invalid_token"' : "Bearer";
  return errorResponse(createLoyaltyError("unauthorized"), { "www-authenticate": challenge });
}

/**
 * Builds the 405 response.
 * @param methods the methods that the path supports. GET implies HEAD.
 */
export function methodNotAllowedResponse(
  methods: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): ErrorResponse {
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return errorResponse(createLoyaltyError("method_not_allowed"), { ...headers, allow });
}

function buildErrorBody({ detail, message }: LoyaltyError): unknown {
  switch (detail.code) {
    case "access_denied":
      return { code: detail.code, message };
    case "validation_failed":
      return { STANDARD_VALIDATION: detail.fields };
    case "user_already_exists":
      return { CUSTOM_VALIDATION: detail.conflicts };
    case "more_than_bought":
      return { CUSTOM_VALIDATION: { more_than_bought: detail.params } };
    default:
      return { code: detail.code, params: detail.params };
  }
}

/** The name of the 404 response header that says which type of resource is missing. */
export const LOYALTY_MISSING = "loyalty-missing";

/** The scope that lets a caller see whether a resource of this type exists. */
const scopeByResource: Readonly<Record<MissingResource, Scope>> = {
  user: "user:read",
  UserTag: "user_tag:read",
  UserTagAssignment: "user_tag:read",
  template: "template:read",
  wallet_pass: "pass:read",
  stamp_entry: "pass:read",
  point_entry: "pass:read",
  purchase: "purchase:read",
  api_token: "api_token:manage",
  app: "api_token:manage",
  grant: "api_token:manage",
  webhook_endpoint: "webhook:manage",
  webhook_delivery: "webhook:manage",
  event: "webhook:manage",
  message_delivery: "message:read",
  message: "message:read",
  segment: "segment:read",
  automation: "automation:manage",
  person: "people:manage",
  person_session: "people:manage",
};

/**
 * Adds the header that says which type of resource is missing, but only if the caller has the scope to see resources of that type.
 */
export function addMissingHeader<Answer extends { readonly headers: ResponseHeaders }>(
  response: Answer,
  organization: Organization,
  { missing }: LoyaltyError,
): Answer {
  if (missing !== null && organizationInternals(organization).holds(scopeByResource[missing]))
    response.headers[LOYALTY_MISSING] = missing;
  return response;
}
