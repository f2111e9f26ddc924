import { createLoyaltyError, type ErrorCode, validationFailed } from "../../../src/errors.js";
import type { ActorDetails } from "../../../src/resources/actor.js";

/** A request as a mount hands it over: plain data, tied to no server. */
export interface HttpRequest {
  /** Upper case, as sent. */
  readonly method: string;
  /** Path and query below the mount, still percent-encoded: `/v1/users/42?x=1`. */
  readonly url: string;
  /** Names in any case. A header that was sent twice is two pairs, or one with its values joined by a comma. */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  readonly body: HttpBody;
  /** The path under which the mount serves the API, without a trailing slash; empty for the root. */
  readonly prefix: string;
  /** The IP address of the client, by which requests without a valid token are limited; `null` if unknown. */
  readonly address: string | null;
  /** Whether the client used HTTPS, to the server or to a trusted proxy in front of it. Absent if unknown. */
  readonly isHttps?: boolean;
  /** Aborted if the client disconnects before the response, which stops long reads. Only long calls read it. */
  readonly signal?: AbortSignal | undefined;
  /** The request of the server or framework itself, for a host that authenticates by what it has put there. */
  readonly source?: unknown;
}

/** Why a host's own parser refused a body. */
export type BodyRefusal = Extract<
  ErrorCode,
  "malformed_request" | "payload_too_large" | "unsupported_media_type"
>;

/**
 * The body of a request. Bytes are read only for a route that takes a body, after token and scope are checked.
 * A request that the host's parser refused gets to no use case, whatever the route.
 */
export type HttpBody =
  | { readonly kind: "none" }
  | { readonly kind: "bytes"; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly kind: "parsed"; readonly value: unknown }
  | { readonly kind: "refused"; readonly code: BodyRefusal };

/** The host has read the body of a request, and left it nowhere: a mistake of the host, not of the client. */
export class BodyTakenError extends TypeError {
  override readonly name = "BodyTakenError";
}

/** An answer for a mount to send. */
export interface HttpResponse {
  readonly status: number;
  /** Names are in lower case. `content-length` is only set if it doesn't follow from the body. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * `null` for no body. A streamed body fails by throwing; the mount then breaks the connection. A mount that stops early calls the
   * iterator's `return`.
   */
  readonly body: string | Uint8Array<ArrayBuffer> | AsyncIterable<string | Uint8Array> | null;
}

/** The API owns these paths even where it has no route: any version and everything below it. */
const owned = /^\/v[0-9]+(?:[/?]|$)/;

/** Scheme and authority of a request target in absolute form, as clients of a proxy send it. */
const origin = /^https?:\/\/[^/?]*/i;

/** True for a path, with or without its query, that the API answers itself even when nothing is there. */
export function isApiPath(path: string): boolean {
  return owned.test(path);
}

/** @returns the path, and the query after the question mark; `null` without one. */
export function splitUrl(url: string): { readonly path: string; readonly query: string | null } {
  const mark = url.indexOf("?");
  return mark < 0 ? { path: url, query: null } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** The request target as path and query. */
export function withoutOrigin(target: string): string {
  if (target.startsWith("/")) return target;
  const rest = target.replace(origin, "");
  return rest === "" || rest.startsWith("?") ? `/${rest}` : rest;
}

/** Returns a mount path with a leading and without a trailing slash; empty for the root. */
export function normalizedPrefix(prefix: string): string {
  const inner = prefix.split("/").filter((segment) => segment !== "");
  return inner.length === 0 ? "" : `/${inner.join("/")}`;
}

/** Returns an IP address without what proxies add to it in headers: white space, the client's port, the brackets of IPv6. */
export function addressWithoutPort(text: string): string {
  const address = text.replace(/^[ \t]+|[ \t]+$/g, "");
  const [, ofIPv6, ofIPv4] = /^(?:\[([0-9a-f:.]+(?:%[^\]]*)?)\]|([0-9.]+))(?::[0-9]+)?$/i.exec(address) ?? [];
  return ofIPv6 ?? ofIPv4 ?? address;
}

/** Returns the target without the prefix, or unchanged if it doesn't begin with the prefix. */
export function belowPrefix(target: string, prefix: string): string {
  if (prefix === "" || !target.startsWith(prefix)) return target;
  const rest = target.slice(prefix.length);
  if (rest.startsWith("/")) return rest;
  return rest === "" || rest.startsWith("?") ? `/${rest}` : target;
}

/**
 * Decodes the percent-encoding of a part of a URL, strictly.
 * @throws {LoyaltyError} `malformed_request` if it is malformed, not UTF-8, or holds what a URL can't.
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
 * Reads names and values in the form of a query.
 * @throws {LoyaltyError} as {@link decoded}.
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

/** The headers of a `node:http` request, which are a flat list of names and values. */
export class RawHeaders implements Iterable<readonly [name: string, value: string]> {
  constructor(private readonly list: readonly string[]) {}

  *[Symbol.iterator](): Generator<readonly [name: string, value: string]> {
    for (let at = 0; at + 1 < this.list.length; at += 2) yield [this.list[at] ?? "", this.list[at + 1] ?? ""];
  }

  /** Without making pairs of all of them. @param name in lower case. */
  listValues(name: string): string[] {
    const values: string[] = [];
    for (let at = 0; at + 1 < this.list.length; at += 2) {
      if (isNamed(this.list[at] ?? "", name)) values.push(this.list[at + 1] ?? "");
    }
    return values;
  }
}

/** Every value that was sent for a header, in order. @param name in lower case. */
export function headerValues(headers: HttpRequest["headers"], name: string): string[] {
  if (headers instanceof RawHeaders) return headers.listValues(name);
  const values: string[] = [];
  for (const [candidate, value] of headers) if (isNamed(candidate, name)) values.push(value);
  return values;
}

function isNamed(candidate: string, name: string): boolean {
  return candidate.length === name.length && candidate.toLowerCase() === name;
}

/** A header as one text, the values of a repeated one joined by commas; `null` if it was not sent. */
export function headerValue(headers: HttpRequest["headers"], name: string): string | null {
  const values = headerValues(headers, name);
  return values.length === 0 ? null : values.join(", ");
}

/** Servers that give a repeated header as one text have joined its values by a comma and a space. */
function mayBeSeveral(sent: string): boolean {
  return sent.includes(", ");
}

/** The spelling that error texts use. */
export const LOYALTY_ACTOR = "Loyalty-Actor";

const fields: readonly string[] = ["subject", "location", "receipt"] satisfies (keyof ActorDetails)[];

/**
 * Reads the customer on whose behalf a request is made, from a query such as `subject=ada&location=Harbour`, so that a
 * header can hold any text. Returns `null` without the header.
 * @throws {LoyaltyError} `validation_failed` if there are several or its encoding is malformed, and for a field that is unknown or is
 *   there twice.
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
    // The text can't be decoded, and the audit trail would keep a wrong one.
    throw validationFailed({ [LOYALTY_ACTOR]: "must be percent-encoded UTF-8" });
  }
}

/** The spelling that error texts use. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** A text in the form of RFC 9651, section 3.3.3, as the IETF draft of the header has it. */
const quoted = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/**
 * The key that a request was sent with, bare or quoted: both mean the same; `null` if there is none.
 * @throws {LoyaltyError} `validation_failed` if there are several, its quotes are wrong, or a bare one has a comma with a space.
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

/** True when the caller prefers that unknown fields and parameters are refused rather than ignored (RFC 7240). */
export function prefersStrict(headers: HttpRequest["headers"]): boolean {
  return headerValues(headers, "prefer")
    .flatMap((value) => value.split(","))
    .some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference));
}

/** The content type of every answer that has a body. */
export const JSON_TYPE = "application/json; charset=utf-8";

/** The headers of an answer while it is made; names in lower case. */
export type ResponseHeaders = Record<string, string>;

/** Returns the headers of a response without a body. No cache may keep it: others may not see what a token may. */
export function emptyHeaders(): ResponseHeaders {
  return { "cache-control": "no-store", "x-content-type-options": "nosniff" };
}

/** The headers of a file that a browser keeps under a name. */
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

/** Returns the headers of a response with a JSON body, whose type browsers don't guess. */
export function jsonHeaders(): ResponseHeaders {
  return {
    "content-type": JSON_TYPE,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
}
