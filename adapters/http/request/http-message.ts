import type { ActorDetails } from "../../../src/access/actor-schema.js";
import { createLoyaltyError, type ErrorCode, validationFailed } from "../../../src/base/errors.js";

const schemePattern = /^([\w!#$%&'*+.^`|~-]+) +(?=[^ ])/;

const token68Pattern = /^[A-Za-z0-9._~+/-]+=*$/;

const mediaTypePattern = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?=;|$)/;

const parameterPattern = /;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"([^"]*)"|([^\s",;]*))[ \t]*)?/y;

/** A host with or without a port (RFC 3986, section 3.2). It may be empty. */
const hostPattern = /^(?:\[[0-9a-f:.%v]+\]|[\w.~!$&'()*+,;=%-]*)(?::[0-9]*)?$/i;

/** A request to the API, independent of any server or framework. */
export interface HttpRequest {
  /** The HTTP method in uppercase, exactly as sent. */
  readonly method: string;
  /** Path and query relative to the path where the API is mounted, still percent-encoded, such as `/v1/users/42?x=1`. */
  readonly url: string;
  /**
   * The headers as name-value pairs. Names can be in uppercase or lowercase. A repeated header is either several pairs, or one
   * pair with the values joined by commas.
   */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  /** The request body. It is read only if the route accepts a body. */
  readonly body: HttpBody;
  /** The path where the API is mounted, without a trailing slash, or an empty string for the root. */
  readonly prefix: string;
  /** The client's IP address, or `null` if it is unknown. Requests without a valid token are limited by address. */
  readonly address: string | null;
  /** Whether the client used HTTPS to reach the server or a trusted proxy in front of the server. Absent if unknown. */
  readonly isHttps?: boolean;
  /**
   * A signal that is aborted if the client disconnects before receiving the whole response. It stops long reads, and only calls
   * that can take a long time use it.
   */
  readonly signal?: AbortSignal | undefined;
  /** The request object of the server or framework. A host can attach data to it and use that data to authenticate the caller. */
  readonly source?: unknown;
}

/** The error code that explains why the host's parser rejected a body. */
export type BodyRefusal = Extract<
  ErrorCode,
  "malformed_request" | "payload_too_large" | "unsupported_media_type"
>;

/**
 * A request's body. The bytes are read only if the route takes a body, and only after the token and scope have been checked. If the
 * host's parser rejected the body, the request fails on every route.
 */
export type HttpBody =
  | {
      /** Whether the body is missing (`none`), unread (`bytes`), or already parsed or refused by the host's parser. */
      readonly kind: "none";
    }
  | {
      readonly kind: "bytes";
      /** The body's bytes. They can be read only once. */
      readonly chunks: AsyncIterable<Uint8Array>;
    }
  | {
      readonly kind: "parsed";
      /** The value that the host's parser returned for the body. */
      readonly value: unknown;
    }
  | {
      readonly kind: "refused";
      /** The error code for the response to a body that the host's parser rejected. */
      readonly code: BodyRefusal;
    };

/** Thrown if the host has consumed a request's body without keeping the data. The host is at fault, not the client. */
export class BodyTakenError extends TypeError {
  override readonly name = "BodyTakenError";
}

/** A response from the API, independent of any server or framework. */
export interface HttpResponse {
  /** The HTTP status code, such as 200. */
  readonly status: number;
  /** Headers, with names in lowercase. `content-length` is included only if it can't be derived from the body. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body, or `null` if the response has none. If reading a streamed body throws an error, the server must drop the
   * connection. If the server stops reading early, it must call the iterator's `return` method.
   */
  readonly body: string | Uint8Array<ArrayBuffer> | AsyncIterable<string | Uint8Array> | null;
}

/** Matches the paths that the API owns even if no route matches: every version and everything below it. */
const versionedPath = /^\/v[0-9]+(?:[/?]|$)/;

/** Scheme and authority of a request target in absolute form, which clients send to proxies. */
const originPattern = /^https?:\/\/[^/?]*/i;

/** Returns whether a path belongs to the API, even if no route matches it. The path can include a query. */
export function isApiPath(path: string): boolean {
  return versionedPath.test(path);
}

/**
 * Splits a URL at its first question mark.
 * @returns the path and the query. The query is `null` if there is no question mark.
 */
export function splitUrl(url: string): { readonly path: string; readonly query: string | null } {
  const markIndex = url.indexOf("?");
  return markIndex < 0
    ? { path: url, query: null }
    : { path: url.slice(0, markIndex), query: url.slice(markIndex + 1) };
}

/** Strips the scheme and authority from a request target, leaving its path and query. */
export function stripOrigin(target: string): string {
  if (target.startsWith("/")) return target;
  const rest = target.replace(originPattern, "");
  return rest === "" || rest.startsWith("?") ? `/${rest}` : rest;
}

/** Normalizes a mount path to start with a slash and not end with one. Returns an empty string for the root. */
export function normalizePrefix(prefix: string): string {
  const segments = prefix.split("/").filter((segment) => segment !== "");
  return segments.length === 0 ? "" : `/${segments.join("/")}`;
}

/**
 * Strips anything that a proxy might add to an IP address in a header, such as whitespace, a port, or brackets around an IPv6
 * address.
 */
export function stripPort(text: string): string {
  const address = text.replace(/^[ \t]+|[ \t]+$/g, "");
  const [, ipv6, ipv4] = /^(?:\[([0-9a-f:.]+(?:%[^\]]*)?)\]|([0-9.]+))(?::[0-9]+)?$/i.exec(address) ?? [];
  return ipv6 ?? ipv4 ?? address;
}

/** Strips the prefix from a request target. Returns the target unchanged if it doesn't begin with the prefix. */
export function stripPrefix(target: string, prefix: string): string {
  if (prefix === "" || !target.startsWith(prefix)) return target;
  const rest = target.slice(prefix.length);
  if (rest.startsWith("/")) return rest;
  return rest === "" || rest.startsWith("?") ? `/${rest}` : target;
}

/**
 * Decodes a percent-encoded part of a URL.
 * @throws {LoyaltyError} `malformed_request` if the part is malformed, isn't UTF-8, or contains characters that aren't allowed in a
 *   URL.
 */
export function decodeUrlPart(part: string): string {
  if (!/^[\x21-\x7e]*$/.test(part)) throw createLoyaltyError("malformed_request");
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw createLoyaltyError("malformed_request", null, { cause });
  }
}

/**
 * Parses a query string into name-value pairs.
 * @throws {LoyaltyError} under the same conditions as {@link decodeUrlPart}.
 */
export function parsePairs(query: string): [name: string, text: string][] {
  const parts = query.split("&").filter((part) => part !== "");
  return parts.map((part) => {
    const equals = part.indexOf("=");
    const name = equals < 0 ? part : part.slice(0, equals);
    return [decodeForm(name), equals < 0 ? "" : decodeForm(part.slice(equals + 1))];
  });
}

function decodeForm(part: string): string {
  return decodeUrlPart(part.replaceAll("+", "%20"));
}

/** The headers of a `node:http` request, read directly from Node's flat list of names and values. */
export class RawHeaders implements Iterable<readonly [name: string, value: string]> {
  constructor(private readonly list: readonly string[]) {}

  *[Symbol.iterator](): Generator<readonly [name: string, value: string]> {
    for (let at = 0; at + 1 < this.list.length; at += 2) yield [this.list[at] ?? "", this.list[at + 1] ?? ""];
  }

  /**
   * Returns a header's values without creating a pair for every header.
   * @param name the header's name in lowercase.
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
 * Returns all of a header's values, in the order they were sent.
 * @param name the header's name in lowercase.
 */
export function getHeaderValues(headers: HttpRequest["headers"], name: string): string[] {
  if (headers instanceof RawHeaders) return headers.listValues(name);
  const values: string[] = [];
  for (const [candidate, value] of headers) if (isNamed(candidate, name)) values.push(value);
  return values;
}

function isNamed(candidate: string, name: string): boolean {
  return candidate.length === name.length && candidate.toLowerCase() === name;
}

/** Returns a header as one string, with repeated values joined by commas, or `null` if it was not sent. */
export function getHeaderValue(headers: HttpRequest["headers"], name: string): string | null {
  const values = getHeaderValues(headers, name);
  return values.length === 0 ? null : values.join(", ");
}

/**
 * Returns whether a value may be several merged values. Servers that merge a repeated header join its values with a comma and a
 * space.
 */
function mayBeMerged(header: string): boolean {
  return header.includes(", ");
}

/** The name of the header that describes the actor, with the capitalization used in error messages. */
export const LOYALTY_ACTOR = "Loyalty-Actor";

const actorFields: readonly string[] = ["subject", "location", "receipt"] satisfies (keyof ActorDetails)[];

/**
 * Parses the header that describes the actor's subject, location, and receipt. The header's value is encoded like a query string,
 * such as `subject=ada&location=Harbour`, so the fields can contain any text. Returns `null` if the header was not sent.
 * @throws {LoyaltyError} `validation_failed` if the header is repeated, its encoding is malformed, or a field is unknown or
 *   repeated.
 */
export function parseActorDetails(headers: HttpRequest["headers"]): ActorDetails | null {
  const [header, second] = getHeaderValues(headers, "loyalty-actor");
  if (header === undefined) return null;
  if (second !== undefined || mayBeMerged(header))
    throw validationFailed({ [LOYALTY_ACTOR]: "must be sent once and percent-encoded" });
  const pairs = parseActorPairs(header);
  const names = pairs.map(([name]) => name);
  const invalidNames = names.filter((name, at) => !actorFields.includes(name) || names.indexOf(name) !== at);
  if (invalidNames.length > 0)
    throw validationFailed({ [LOYALTY_ACTOR]: `may only have ${actorFields.join(", ")}, each at most once` });
  return Object.fromEntries(pairs);
}

function parseActorPairs(header: string): [name: string, text: string][] {
  try {
    return parsePairs(header);
  } catch {
    // Without an error, the audit trail would keep a wrong text.
    throw validationFailed({ [LOYALTY_ACTOR]: "must be percent-encoded UTF-8" });
  }
}

/** The name of the header that contains the idempotency key, with the capitalization used in error messages. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** A quoted string (RFC 9651, section 3.3.3), as in the IETF draft for this header. */
const quotedStringPattern = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/**
 * Parses the idempotency key, which can be bare or quoted. Both forms represent the same key. Returns `null` if the header was not
 * sent.
 * @throws {LoyaltyError} `validation_failed` if the header contains several keys, the quotes are malformed, or a bare key contains
 *   a comma followed by a space.
 */
export function parseIdempotencyKey(headers: HttpRequest["headers"]): string | null {
  const [header, second] = getHeaderValues(headers, "idempotency-key");
  if (header === undefined) return null;
  const isBare = !header.startsWith('"');
  if (second !== undefined || (isBare && mayBeMerged(header)))
    throw validationFailed({
      [IDEMPOTENCY_KEY]: "must be sent once, and in double quotes if it contains a comma followed by a space",
    });
  if (isBare) return header;
  const key = quotedStringPattern.exec(header)?.[1];
  if (key === undefined)
    throw validationFailed({ [IDEMPOTENCY_KEY]: "must be text, with or without double quotes" });
  return key.replaceAll(/\\(.)/g, "$1");
}

/** The `Preference-Applied` header's value in responses to requests that ask for strict handling (see {@link prefersStrict}). */
export const PREFERENCE_APPLIED = "handling=strict";

/** Returns whether the caller wants unknown fields and parameters to be rejected instead of ignored (RFC 7240). */
export function prefersStrict(headers: HttpRequest["headers"]): boolean {
  return getHeaderValues(headers, "prefer")
    .flatMap((value) => value.split(","))
    .some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference));
}

export const JSON_TYPE = "application/json; charset=utf-8";

/** The headers of a response that is being built. Names are in lowercase. */
export type ResponseHeaders = Record<string, string>;

/**
 * Returns the headers for a response without a body. They forbid caching, because other callers might not be allowed to see the
 * response.
 */
export function emptyHeaders(): ResponseHeaders {
  return { "cache-control": "no-store", "x-content-type-options": "nosniff" };
}

/** Returns the headers that make a browser save a response as a file with the given name. */
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

/** Returns the headers for a JSON response. They tell browsers not to cache the response or guess its type. */
export function jsonHeaders(): ResponseHeaders {
  return {
    "content-type": JSON_TYPE,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
}

// Each of these headers is parsed in one place. If two parsers differed, a value that one rejects could get past the other.

type Headers = HttpRequest["headers"];

/**
 * Returns a cookie's value. Returns `null` if the cookie is missing or its name occurs more than once, because another host might
 * have set one of the values. Cookies are separated only by `;`, with optional spaces and tabs around it (RFC 6265, section 4.2.1).
 * If other separators were accepted, another host could hide a cookie inside the value of a cookie that the browser allows it to
 * set.
 */
export function getCookie(headers: Headers, name: string): string | null {
  const [value, ...others] = getHeaderValues(headers, "cookie")
    .flatMap((header) => header.split(";"))
    .map((pair) => pair.replace(/^[ \t]+/, ""))
    .filter((pair) => pair.startsWith(`${name}=`));
  return value === undefined || others.length > 0
    ? null
    : value.slice(name.length + 1).replace(/[ \t]+$/, "");
}

/** A parsed `Authorization` header (RFC 9110, section 11.4). */
interface Authorization {
  /** The scheme in lowercase, or an empty string if the header is malformed. */
  readonly scheme: string;
  /**
   * The `token68` value after the scheme. `null` if a different kind of value follows the scheme or if the header was sent more
   * than once.
   */
  readonly token: string | null;
}

/**
 * Parses the `Authorization` header. Returns `null` if it was not sent. If the header was sent more than once, the result has no
 * token.
 */
export function parseAuthorization(headers: Headers): Authorization | null {
  const [header, ...others] = getHeaderValues(headers, "authorization");
  if (header === undefined) return null;
  const [start = "", name = ""] = schemePattern.exec(header) ?? [];
  const token = header.slice(start.length);
  const isSingle = name !== "" && others.length === 0 && token68Pattern.test(token);
  return { scheme: name.toLowerCase(), token: isSingle ? token : null };
}

/** The parsed headers that describe a request's body. */
export interface Content {
  /**
   * The media type in lowercase, such as `application/json`. `null` if none was sent, or an empty string if it is malformed or
   * repeated.
   */
  readonly type: string | null;
  /** The media type's parameters, keyed by name in lowercase. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Whether the body is compressed or otherwise encoded. */
  readonly isEncoded: boolean;
}

/** Parses a request's `Content-Type` and `Content-Encoding` headers. */
export function parseContentHeaders(headers: Headers): Content {
  const isEncoded = getHeaderValues(headers, "content-encoding").some(
    (encoding) => !/^identity$/i.test(encoding),
  );
  const [header, ...others] = getHeaderValues(headers, "content-type");
  const parameters = new Map<string, string>();
  if (header === undefined) return { type: null, parameters, isEncoded };
  const [type = ""] = mediaTypePattern.exec(header) ?? [];
  let end = type.length;
  let isWellFormed = type !== "" && others.length === 0;
  while (isWellFormed && end < header.length) {
    parameterPattern.lastIndex = end;
    const [match = "", name = "", quoted, plain = ""] = parameterPattern.exec(header) ?? [];
    isWellFormed = match !== "" && !parameters.has(name.toLowerCase());
    if (name !== "") parameters.set(name.toLowerCase(), quoted ?? plain);
    end += match.length;
  }
  return { type: isWellFormed ? type.trim().toLowerCase() : "", parameters, isEncoded };
}

/**
 * Returns the host and port that a request was sent to, in lowercase, or an empty string if the request has no host. Returns `null`
 * if the request has several hosts or an invalid one. Such a request must be rejected (RFC 9112, section 3.2), because a proxy
 * might have picked a different host. Servers that merge repeated headers join them with a comma and a space, so merged hosts are
 * never valid.
 */
export function parseHost(headers: Headers): string | null {
  const [host, ...others] = getHeaderValues(headers, "host");
  // HTTP/2 sends the host as `:authority`.
  const [authority, ...more] = getHeaderValues(headers, ":authority");
  const hostName = (authority ?? host ?? "").toLowerCase();
  const isSingle = others.length === 0 && more.length === 0 && (host ?? hostName).toLowerCase() === hostName;
  return isSingle && hostPattern.test(hostName) ? hostName : null;
}
