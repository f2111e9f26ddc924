import type { ErrorDetail } from "../../../src/base/errors.js";
import { looksLikeUserId } from "../../../src/base/values/ids-in-text.js";
import { parseRoute } from "../../../src/kernel/operation-arguments.js";
import type { RouteText } from "../../../src/kernel/routes.js";

/** A request that can be resent when the call is retried. */
export interface CallRequest {
  readonly method: string;
  /** The request's path and query. */
  readonly target: string;
  readonly body: string | null;
  /** The path parameters and input fields, keyed by name. Error messages quote the ones that identify a resource. */
  readonly named: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  /** Whether it is safe to send the request again if the response was lost. */
  readonly isRepeatable: boolean;
  readonly isStreamed: boolean;
  /** Whether the body of a successful response is a file, which is returned as a stream of bytes. */
  readonly isFile: boolean;
}

/** The reason a call can't be sent: an invalid value, or an input that can't be serialized. */
export interface InvalidArgument {
  readonly value?: unknown;
  readonly cause?: unknown;
}

/** Creates the error for a call that can't be sent. */
export type CreateError = (detail: ErrorDetail, argument?: InvalidArgument) => Error;

const malformedRequest: ErrorDetail = { code: "malformed_request", params: null };

const methodByKind: Readonly<Record<string, string>> = {
  QUERY: "POST",
  ACT: "POST",
  STREAM: "GET",
  FILE: "GET",
};

/**
 * Builds the request for a call.
 * @param args the path parameters in order, followed by the input.
 * @throws the same error that the service would return, if the arguments can't be encoded in a request.
 */
export function buildRequest(
  call: RouteText,
  args: readonly unknown[],
  createError: CreateError,
): CallRequest {
  const { kind, path: pattern, field } = parseRoute(call);
  let hasStableIds = true;
  let argumentIndex = 0;
  const params: Record<string, string> = {};
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(args[argumentIndex]);
    argumentIndex += 1;
    hasStableIds &&= isStableId(name, value);
    params[name] = value;
    if (!isValidPathSegment(value))
      throw createError({ code: "resource_not_found", params: null }, { value });
    return encodeURIComponent(value);
  });
  const first = field === null ? {} : { [field]: args[argumentIndex++] };
  const { key, input = {} } = splitIdempotencyKey(args[argumentIndex]);
  const acceptsIdempotencyKey = kind === "POST" || kind === "ACT";
  if (key !== undefined && !acceptsIdempotencyKey) {
    throw createError(invalidDetail("idempotencyKey", "is only supported by calls that are a POST"));
  }
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw createError(malformedRequest, { value: input });
  const method = methodByKind[kind] ?? kind;
  const isReading = method === "GET";
  return {
    method,
    target: isReading ? path + formatQuery(input, createError) : path,
    body: isReading || method === "DELETE" ? null : serializeBody({ ...input, ...first }, createError),
    named: { ...input, ...first, ...params },
    idempotencyKey: acceptsIdempotencyKey
      ? (validateIdempotencyKey(key, createError) ?? createIdempotencyKey())
      : null,
    // By the time of a retry, a slug or an external ID may belong to another resource.
    isRepeatable: isReading || method === "POST" || hasStableIds,
    isStreamed: kind === "STREAM",
    isFile: kind === "FILE",
  };
}

/** Returns whether the value is an ID that the service created, which never refers to another resource later. */
function isStableId(name: string, value: string): boolean {
  return name === "userId" ? looksLikeUserId(value) : !/slug$/i.test(name);
}

/**
 * Returns whether a value can be a path segment. URLs drop empty and dot segments, and lone surrogates can't be encoded or stored.
 */
function isValidPathSegment(value: string): boolean {
  return !/^\.{0,2}$/.test(value) && value.isWellFormed();
}

function invalidDetail(field: string, message: string): ErrorDetail {
  return { code: "validation_failed", fields: { [field]: message } };
}

function splitIdempotencyKey(last: unknown): { readonly key?: unknown; readonly input: unknown } {
  if (typeof last !== "object" || last === null || !("idempotencyKey" in last)) return { input: last };
  const { idempotencyKey: key, ...input } = last;
  return { key, input };
}

function formatQuery(input: object, createError: CreateError): string {
  const pairs = Object.entries(input).filter(([, value]) => value !== undefined);
  const invalidNames = pairs.filter(([, value]) => value === null).map(([name]) => name);
  if (invalidNames.length > 0) throw createError({ code: "wrong_param_type", params: invalidNames });
  const texts = pairs.map(([name, value]) => {
    const text = String(value);
    if (!text.isWellFormed())
      throw createError(invalidDetail(name, "must not contain NUL or lone surrogates"));
    return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
  });
  return texts.length === 0 ? "" : `?${texts.join("&")}`;
}

function serializeBody(input: object, createError: CreateError): string {
  try {
    return JSON.stringify(input);
  } catch (cause) {
    throw createError(malformedRequest, { cause });
  }
}

/**
 * Validates an idempotency key.
 * @throws the error for a key that doesn't fit in a header.
 */
function validateIdempotencyKey(key: unknown, createError: CreateError): string | undefined {
  if (key === undefined) return undefined;
  if (typeof key !== "string") throw createError({ code: "wrong_param_type", params: ["idempotencyKey"] });
  if (key.trim() === "" || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw createError(
      invalidDetail("idempotencyKey", "must be a text of 1 to 255 characters, over HTTP of printable ASCII"),
    );
  }
  return key;
}

/** Creates an idempotency key. Unlike `crypto.randomUUID`, it also works on pages without TLS. */
function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `client-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
