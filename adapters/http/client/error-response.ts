import { findIdentifier, formatMissingMessage, isMissingResource } from "../../../src/base/error-messages.js";
import { type ErrorDetail, errorCodes, LoyaltyError, type UserConflicts } from "../../../src/base/errors.js";
import type { CallRequest } from "./call-request.js";

/**
 * Thrown when the service doesn't respond, or when something else responds in its place. Any change that the call requested might
 * or might not have taken effect.
 * @example
 * import { ConnectionError, createClient } from "loyalty-kit/client";
 *
 * const cafe = createClient({ url: "http://localhost:3000", token: process.env.LOYALTY_TOKEN ?? "" });
 * const error = await cafe.tags.list().catch((thrown: unknown) => thrown);
 * if (error instanceof ConnectionError) console.error("No answer from the service", error.status);
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  constructor(
    message: string,
    /** The response's status if the response didn't come from the API, or `null` if there was no complete response. */
    readonly status: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The error in a response. Its code might be unknown to this client if the service is newer. */
export type ResponseError =
  | Exclude<ErrorDetail, { readonly params: unknown }>
  | { readonly code: string; readonly params: readonly string[] | null };

const codesWithDetails: readonly string[] = ["access_denied", "validation_failed", "user_already_exists"];

/**
 * Parses the error in a response, including the type of the missing resource if a header names it. Returns `null` if the response
 * doesn't come from the API, or if the client doesn't know its error code.
 */
export function parseErrorResponse(
  text: string,
  headers: Headers,
  { named }: Pick<CallRequest, "named">,
): LoyaltyError | null {
  const error = parseErrorBody(text);
  if (error === null || !isKnownError(error)) return null;
  const missing = headers.get("loyalty-missing");
  if (!isMissingResource(missing)) return new LoyaltyError(error);
  const value = findIdentifier(missing, named);
  return new LoyaltyError(error, { missing, message: formatMissingMessage(missing, value) });
}

/** Parses the error in a response body. Returns `null` if the body isn't an error from the API. */
export function parseErrorBody(text: string): ResponseError | null {
  const {
    code,
    params,
    message,
    STANDARD_VALIDATION: fields,
    CUSTOM_VALIDATION: conflicts,
  } = parseJsonObject(text);
  if (isObject(fields)) return { code: "validation_failed", fields: toLibraryFieldNames(fields) };
  if (isObject(conflicts) && Array.isArray(conflicts.more_than_bought))
    return { code: "more_than_bought", params: conflicts.more_than_bought.map(String) };
  if (isConflicts(conflicts)) return { code: "user_already_exists", conflicts };
  if (code === "access_denied") {
    return { code, scope: /The scope (\S+) is required/.exec(String(message))?.[1] ?? "" };
  }
  if (typeof code !== "string" || codesWithDetails.includes(code)) return null;
  return { code, params: Array.isArray(params) ? params.map(String) : null };
}

/** Returns the messages keyed by field, as in the library. One field has a different name over HTTP. */
function toLibraryFieldNames(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, message]) => [
      name === "Idempotency-Key" ? "idempotencyKey" : name,
      String(message),
    ]),
  );
}

function parseJsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isConflicts(value: unknown): value is UserConflicts {
  return isObject(value) && ("email_already_exists" in value || "external_id_already_exists" in value);
}

function isKnownError(error: ResponseError): error is ErrorDetail {
  return Object.hasOwn(errorCodes, error.code);
}
