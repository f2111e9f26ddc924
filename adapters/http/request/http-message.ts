import { createLoyaltyError, type ErrorCode, validationFailed } from "../../../src/errors.js";
import type { ActorDetails } from "../../../src/resources/actor.js";

/** A request that a mount passes to the API: plain data, independent of any server. */
export interface HttpRequest {
  /** Upper case, as sent. */
  readonly method: string;
  /** Path and query below the mount, still percent-encoded: `/v1/users/42?x=1`. */
  readonly url: string;
  /** Pairs with names in any case. A repeated header is several pairs, or one pair with its values joined by a comma. */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  readonly body: HttpBody;
  /** The path under which the mount serves the API, without a trailing slash; empty for the root. */
  readonly prefix: string;
  /** The client's IP address, used to rate-limit requests without a valid token; `null` if unknown. */
  readonly address: string | null;
  /** Whether the client used HTTPS, to the server or to a trusted proxy in front of it. Absent if unknown. */
  readonly isHttps?: boolean;
  /** Aborted if the client disconnects before the response, which stops long reads. Only long calls read this property. */
  readonly signal?: AbortSignal | undefined;
  /** The server's or framework's own request object, for hosts that authenticate by data they have attached to it. */
  readonly source?: unknown;
}

/** The reason why a host's own parser rejected a body. */
export type BodyRefusal = Extract<
  ErrorCode,
  "malformed_request" | "payload_too_large" | "unsupported_media_type"
>;

/**
 * A request's body. Bytes are read only for a route that takes a body, after token and scope are checked. A request whose body the
 * host's parser rejected reaches no use case, whatever the route.
 */
export type HttpBody =
  | { readonly kind: "none" }
  | { readonly kind: "bytes"; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly kind: "parsed"; readonly value: unknown }
  | { readonly kind: "refused"; readonly code: BodyRefusal };

/** Thrown if the host has consumed a request's body without keeping it. This is the host's mistake, not the client's. */
export class BodyTakenError extends TypeError {
  override readonly name = "BodyTakenError";
}

/** A response for a mount to send. */
export interface HttpResponse {
  readonly status: number;
  /** Names are in lower case. `content-length` is set only if it doesn't follow from the body. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * `null` for no body. A streamed body fails by throwing; the mount must then break the connection. A mount that stops early must
   * call the iterator's `return`.
   */
  readonly body: string | Uint8Array<ArrayBuffer> | AsyncIterable<string | Uint8Array> | null;
}

/** Paths that the API owns even if it has no route for them: every version and everything below it. */
const owned = /^\/v[0-9]+(?:[/?]|$)/;

/** Scheme and authority of a request target in absolute form, which clients send to proxies. */
const origin = /^https?:\/\/[^/?]*/i;

/** Returns whether the API responds to a path itself, even if no route matches. The path may include a query. */
export function isApiPath(path: string): boolean {
  return owned.test(path);
}

/**
 * Splits a URL at its first question mark.
 * @returns the path and the query; the query is `null` if there is no question mark.
 */
export function splitUrl(url: string): { readonly path: string; readonly query: string | null } {
  const mark = url.indexOf("?");
  return mark < 0 ? { path: url, query: null } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** Returns a request target as path and query, without scheme and authority. */
export function withoutOrigin(target: string): string {
  if (target.startsWith("/")) return target;
  const rest = target.replace(origin, "");
  return rest === "" || rest.startsWith("?") ? `/${rest}` : rest;
}

/** Returns a mount path with a leading slash and no trailing slash; empty for the root. */
export function normalizedPrefix(prefix: string): string {
  const inner = prefix.split("/").filter((segment) => segment !== "");
  return inner.length === 0 ? "" : `/${inner.join("/")}`;
}

/**
 * Returns an IP address without the extras that proxies add in headers: whitespace, the client's port, and brackets around IPv6.
 */
export function addressWithoutPort(text: string): string {
  const address = text.replace(/^[ \t]+|[ \t]+$/g, "");
  const [, ofIPv6, ofIPv4] = /^(?:\[([0-9a-f:.]+(?:%[^\]]*)?)\]|([0-9.]+))(?::[0-9]+)?$/i.exec(address) ?? [];
  return ofIPv6 ?? ofIPv4 ?? address;
}

/** Removes the prefix from a target. Returns the target unchanged if it doesn't begin with the prefix. */
export function belowPrefix(target: string, prefix: string): string {
  if (prefix === "" || !target.startsWith(prefix)) return target;
  const rest = target.slice(prefix.length);
  if (rest.startsWith("/")) return rest;
  return rest === "" || rest.startsWith("?") ? `/${rest}` : target;
}

/**
 * Decodes a percent-encoded part of a URL, strictly.
 * @throws {LoyaltyError} `malformed_request` if it is malformed, not UTF-8, or contains characters that a URL can't.
 */
export function decoded(part: string): string {
  if (!/^[\x21-\x7e]*$/.test(part)) throw createLoyaltyError("malformed_request");
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw createLoyaltyError("malformed_request", null, { cause });
  }
}

/**
 * Parses name-value pairs in query-string format.
 * @throws {LoyaltyError} like {@link decoded}.
 */
export function parsePairs(query: string): [name: string, text: string][] {
  const parts = query.split("&").filter((part) => part !== "");
  return parts.map((part) => {
    const equals = part.indexOf("=");
    const name = equals < 0 ? part : part.slice(0, equals);
    return [formDecoded(name), equals < 0 ? "" : formDecoded(part.slice(equals + 1))];
  });
}

function formDecoded(part: string): string {
  return decoded(part.replaceAll("+", "%20"));
}

/** The headers of a `node:http` request, backed by a flat list of names and values. */
export class RawHeaders implements Iterable<readonly [name: string, value: string]> {
  constructor(private readonly list: readonly string[]) {}

  *[Symbol.iterator](): Generator<readonly [name: string, value: string]> {
    for (let at = 0; at + 1 < this.list.length; at += 2) yield [this.list[at] ?? "", this.list[at + 1] ?? ""];
  }

  /**
   * Returns a header's values without creating a pair for every header.
   * @param name in lower case.
   */
  listValues(name: string): string[] {
    const values: string[] = [];
    for (let at = 0; at + 1 < this.list.length; at += 2) {
      if (isNamed(this.list[at] ?? "", name)) values.push(this.list[at + 1] ?? "");
    }
    return values;
  }
}

/**
 * Returns all values of a header, in order.
 * @param name in lower case.
 */
export function headerValues(headers: HttpRequest["headers"], name: string): string[] {
  if (headers instanceof RawHeaders) return headers.listValues(name);
  const values: string[] = [];
  for (const [candidate, value] of headers) if (isNamed(candidate, name)) values.push(value);
  return values;
}

function isNamed(candidate: string, name: string): boolean {
  return candidate.length === name.length && candidate.toLowerCase() === name;
}

/** Returns a header as one string, with repeated values joined by commas; `null` if it was not sent. */
export function headerValue(headers: HttpRequest["headers"], name: string): string | null {
  const values = headerValues(headers, name);
  return values.length === 0 ? null : values.join(", ");
}

/** Returns whether a value may be several: servers that merge a repeated header join its values with a comma and a space. */
function mayBeSeveral(sent: string): boolean {
  return sent.includes(", ");
}

/** Name of the header, spelled as in error messages. */
export const LOYALTY_ACTOR = "Loyalty-Actor";

const fields: readonly string[] = ["subject", "location", "receipt"] satisfies (keyof ActorDetails)[];

/**
 * Parses the header that describes the actor's subject, location and receipt. It is a query such as `subject=ada&location=Harbour`,
 * so that it can hold any text. Returns `null` if the header is missing.
 * @throws {LoyaltyError} `validation_failed` if the header is repeated, its encoding is malformed, or a field is unknown or
 *   repeated.
 */
export function parseActorDetails(headers: HttpRequest["headers"]): ActorDetails | null {
  const [sent, second] = headerValues(headers, "loyalty-actor");
  if (sent === undefined) return null;
  if (second !== undefined || mayBeSeveral(sent))
    throw validationFailed({ [LOYALTY_ACTOR]: "must be sent once and percent-encoded" });
  const pairs = actorPairs(sent);
  const names = pairs.map(([name]) => name);
  const wrong = names.filter((name, at) => !fields.includes(name) || names.indexOf(name) !== at);
  if (wrong.length > 0)
    throw validationFailed({ [LOYALTY_ACTOR]: `may only have ${fields.join(", ")}, each at most once` });
  return Object.fromEntries(pairs);
}

function actorPairs(sent: string): [name: string, text: string][] {
  try {
    return parsePairs(sent);
  } catch {
    // Without an error, the audit trail would keep a wrong text.
    throw validationFailed({ [LOYALTY_ACTOR]: "must be percent-encoded UTF-8" });
  }
}

/** Name of the header, spelled as in error messages. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** A quoted string (RFC 9651, section 3.3.3), as in the IETF draft for this header. */
const quoted = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/**
 * Parses the idempotency key, bare or quoted; both forms mean the same key. Returns `null` if there is none.
 * @throws {LoyaltyError} `validation_failed` if there are several, its quotes are malformed, or a bare key contains a comma
 *   followed by a space.
 */
export function parseIdempotencyKey(headers: HttpRequest["headers"]): string | null {
  const [sent, second] = headerValues(headers, "idempotency-key");
  if (sent === undefined) return null;
  const isBare = !sent.startsWith('"');
  if (second !== undefined || (isBare && mayBeSeveral(sent)))
    throw validationFailed({
      [IDEMPOTENCY_KEY]: "must be sent once, and in double quotes if it contains a comma followed by a space",
    });
  if (isBare) return sent;
  const key = quoted.exec(sent)?.[1];
  if (key === undefined)
    throw validationFailed({ [IDEMPOTENCY_KEY]: "must be text, with or without double quotes" });
  return key.replaceAll(/\\(.)/g, "$1");
}

/** The `Preference-Applied` header of every response to a request for which {@link prefersStrict} is true. */
export const PREFERENCE_APPLIED = "handling=strict";

/** Returns whether the caller asks that unknown fields and parameters be rejected rather than ignored (RFC 7240). */
export function prefersStrict(headers: HttpRequest["headers"]): boolean {
  return headerValues(headers, "prefer")
    .flatMap((value) => value.split(","))
    .some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference));
}

/** Content type of JSON responses. */
export const JSON_TYPE = "application/json; charset=utf-8";

/** The headers of a response under construction; names in lower case. */
export type ResponseHeaders = Record<string, string>;

/** Returns the headers of a response without a body. It must not be cached, because other callers may not be allowed to see it. */
export function emptyHeaders(): ResponseHeaders {
  return { "cache-control": "no-store", "x-content-type-options": "nosniff" };
}

/** Returns the headers of a file that the browser saves under the given name. */
export function fileHeaders({
  name,
  type,
}: {
  readonly name: string;
  readonly type: string;
}): ResponseHeaders {
  return {
    ...jsonHeaders(),
    "content-type": type,
    "content-disposition": `attachment; filename="${name}"`,
  };
}

/** Returns the headers of a response with a JSON body. Browsers must not cache it or guess its type. */
export function jsonHeaders(): ResponseHeaders {
  return {
    "content-type": JSON_TYPE,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
}
