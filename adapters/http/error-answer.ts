import { type ErrorCode, failure, type LoyaltyError } from "../../src/errors.js";
import type { HttpResponse } from "./request/message.js";

/** The content type of every answer that has a body. */
export const JSON_TYPE = "application/json; charset=utf-8";

/** Seconds after which it is worth asking again when storage was not available. */
export const RETRY_AFTER_SECONDS = 1;

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

/** The answer that tells of an error. @param headers what else the client has to know. */
export function errorAnswer(
  error: LoyaltyError,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status: error.status,
    headers: {
      "content-type": JSON_TYPE,
      ...(error.code === "storage_unavailable" && { "retry-after": String(RETRY_AFTER_SECONDS) }),
      ...headers,
    },
    body: JSON.stringify(bodyOf(error)),
  };
}

/** @param presented whether a token was sent at all. */
export function unauthorizedAnswer(presented: boolean): HttpResponse {
  const challenge = presented ? 'Bearer error="invalid_token"' : "Bearer";
  return errorAnswer(failure("unauthorized"), { "www-authenticate": challenge });
}

/** @param methods those that the path has. */
export function methodNotAllowedAnswer(methods: readonly string[]): HttpResponse {
  return errorAnswer(failure("method_not_allowed"), { allow: methods.join(", ") });
}

function bodyOf({ detail, message }: LoyaltyError): unknown {
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
