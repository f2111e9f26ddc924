import { WebhookVerificationError } from "./verification-error.js";

/** The headers of a request: a `Headers`, Node's, or any record of them; the case of names counts for nothing. */
export type WebhookHeaders = HeadersObject | HeadersRecord;

interface HeadersObject {
  get(name: string): string | null;
}

interface HeadersRecord {
  readonly [name: string]: string | readonly string[] | undefined;
}

/**
 * A header that must be there once.
 * @param name in lower case.
 * @throws {WebhookVerificationError} `missing_header` or `malformed_header`.
 */
export function requiredHeader(headers: WebhookHeaders, name: string): string {
  const values = findHeaderValues(headers, name);
  const [value = ""] = values;
  if (value === "") throw new WebhookVerificationError("missing_header", `the header ${name} is missing`);
  if (values.length > 1) throw malformedHeaderError(name);
  return value;
}

/** The error for a header that can't be read. It does not repeat the value. */
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
