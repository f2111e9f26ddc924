import type { MissingResource } from "../../src/error-messages.js";
import { createLoyaltyError, type ErrorCode, type LoyaltyError } from "../../src/errors.js";
import { organizationInternals } from "../../src/internals.js";
import type { Organization } from "../../src/organization.js";
import type { Scope } from "../../src/scopes.js";
import { jsonHeaders, type ResponseHeaders } from "./request/http-message.js";

/** Seconds after which it is worth asking again when storage was not available, or the key of a call was in use. */
export const RETRY_AFTER_SECONDS = 1;

/** The status that logs show for a request whose client went away. No client receives it. */
export const CLIENT_GONE = 499;

/** The forms that an error takes on the wire. */
export type ErrorFormat = "General" | "AccessDenied" | "StandardValidation" | "CustomValidation";

/** The format in which errors of a code are answered. */
export function errorFormatOf(code: ErrorCode): ErrorFormat {
  switch (code) {
    case "access_denied":
      return "AccessDenied";
    case "validation_failed":
      return "StandardValidation";
    case "user_already_exists":
      return "CustomValidation";
    default:
      return "General";
  }
}

/** An answer while it is made. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: string;
}

/** The response for an error. @param headers additional ones. */
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

/** The errors that name a time in their params. */
const waiting: ReadonlySet<ErrorCode> = new Set([
  "pass_notified_recently",
  "message_tested_recently",
  "person_mailed_recently",
  "rate_limit_exceeded",
]);

/** Returns the headers of a temporary error: the whole seconds until the client may retry. */
export function retryHeaders({ detail }: LoyaltyError, now: number): Readonly<Record<string, string>> {
  const [time] = waiting.has(detail.code) && "params" in detail ? (detail.params ?? []) : [];
  if (time === undefined) return {};
  const left = Date.parse(time) - now;
  return { "retry-after": String(Math.max(1, Math.ceil(left / 1_000))) };
}

/** @param presented whether a token was sent at all. */
export function unauthorizedResponse(presented: boolean): ErrorResponse {
  const challenge = presented ? 'Bearer error="invalid_token"' : "Bearer";
  return errorResponse(createLoyaltyError("unauthorized"), { "www-authenticate": challenge });
}

/** @param methods the methods of the path. GET includes HEAD. */
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
    default:
      return { code: detail.code, params: detail.params };
  }
}

/** The header of a 404 that says which of the things that a request names is missing. */
export const LOYALTY_MISSING = "loyalty-missing";

/** The scope that shows whether there is such a thing. */
const shownBy: Readonly<Record<MissingResource, Scope>> = {
  user: "user:read",
  UserTag: "user_tag:read",
  UserTagAssignment: "user_tag:read",
  template: "template:read",
  wallet_pass: "pass:read",
  stamp_entry: "pass:read",
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

/** The response for an error, including the missing parts for callers who may see them. */
export function withMissing<Answer extends { readonly headers: ResponseHeaders }>(
  answer: Answer,
  organization: Organization,
  { missing }: LoyaltyError,
): Answer {
  if (missing !== null && organizationInternals(organization).holds(shownBy[missing]))
    answer.headers[LOYALTY_MISSING] = missing;
  return answer;
}
