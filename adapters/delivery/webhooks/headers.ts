import { WebhookVerificationError } from "./verification-error.js";

/** A request's headers as a `Headers` object, Node.js headers, or a plain record. Names are case-insensitive. */
export type WebhookHeaders = HeadersObject | HeadersRecord;

interface HeadersObject {
  /** Returns the value of a header, or `null` if it is missing. */
  get(name: string): string | null;
}

interface HeadersRecord {
  readonly [name: string]: string | readonly string[] | undefined;
}

/**
 * Returns the value of a header that must be present exactly once.
 * @param name the header's name in lowercase.
 * @throws {WebhookVerificationError} with the reason `missing_header` or `malformed_header`.
 */
export function requiredHeader(headers: WebhookHeaders, name: string): string {
  const values = findHeaderValues(headers, name);
  const [value = ""] = values;
  if (value === "") throw new WebhookVerificationError("missing_header", `the header ${name} is missing`);
  if (values.length > 1) throw malformedHeaderError(name);
  return value;
}

/** Creates the error for a malformed header. The error never includes the header's value. */
export function malformedHeaderError(name: string): WebhookVerificationError {
  return new WebhookVerificationError("malformed_header", `the header ${name} is malformed`);
}

function findHeaderValues(headers: WebhookHeaders, name: string): readonly string[] {
  if (isObject(headers)) {
    const value = headers.get(name);
    return value === null ? [] : [value];
  }
  return Object.entries(headers).flatMap(([candidate, value = []]) =>
    candidate.toLowerCase() === name ? value : [],
  );
}

function isObject(headers: WebhookHeaders): headers is HeadersObject {
  return typeof headers.get === "function";
}
