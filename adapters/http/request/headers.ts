import { type HttpRequest, headerValues } from "./http-message.js";

// Each of these headers is parsed in one place. If two parsers differed, a value that one rejects could get past the other.

type Headers = HttpRequest["headers"];

/**
 * Returns a cookie's value. Returns `null` if the cookie is missing or its name occurs more than once, because another host might
 * have set one of the values. Cookies are separated only by `;`, with optional spaces and tabs around it (RFC 6265, section 4.2.1).
 * If other separators were accepted, another host could hide a cookie inside the value of a cookie that the browser allows it to
 * set.
 */
export function cookieIn(headers: Headers, name: string): string | null {
  const [value, ...others] = headerValues(headers, "cookie")
    .flatMap((sent) => sent.split(";"))
    .map((pair) => pair.replace(/^[ \t]+/, ""))
    .filter((pair) => pair.startsWith(`${name}=`));
  return value === undefined || others.length > 0
    ? null
    : value.slice(name.length + 1).replace(/[ \t]+$/, "");
}

/** A parsed `Authorization` header (RFC 9110, section 11.4). */
export interface Authorization {
  /** The scheme in lowercase, or an empty string if the header is malformed. */
  readonly scheme: string;
  /**
   * The `token68` value after the scheme. `null` if a different kind of value follows the scheme or if the header was sent more
   * than once.
   */
  readonly token: string | null;
}

const scheme = /^([\w!#$%&'*+.^`|~-]+) +(?=[^ ])/;
const token68 = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Parses the `Authorization` header. Returns `null` if it was not sent. If the header was sent more than once, the result has no
 * token.
 */
export function parseAuthorization(headers: Headers): Authorization | null {
  const [sent, ...others] = headerValues(headers, "authorization");
  if (sent === undefined) return null;
  const [start = "", name = ""] = scheme.exec(sent) ?? [];
  const token = sent.slice(start.length);
  const isOne = name !== "" && others.length === 0 && token68.test(token);
  return { scheme: name.toLowerCase(), token: isOne ? token : null };
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

const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?=;|$)/;
const parameter = /;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"([^"]*)"|([^\s",;]*))[ \t]*)?/y;

/** Parses a request's `Content-Type` and `Content-Encoding` headers. */
export function parseContentHeaders(headers: Headers): Content {
  const isEncoded = headerValues(headers, "content-encoding").some((sent) => !/^identity$/i.test(sent));
  const [sent, ...others] = headerValues(headers, "content-type");
  const parameters = new Map<string, string>();
  if (sent === undefined) return { type: null, parameters, isEncoded };
  const [type = ""] = mediaType.exec(sent) ?? [];
  let end = type.length;
  let isRead = type !== "" && others.length === 0;
  while (isRead && end < sent.length) {
    parameter.lastIndex = end;
    const [whole = "", name = "", quoted, plain = ""] = parameter.exec(sent) ?? [];
    isRead = whole !== "" && !parameters.has(name.toLowerCase());
    if (name !== "") parameters.set(name.toLowerCase(), quoted ?? plain);
    end += whole.length;
  }
  return { type: isRead ? type.trim().toLowerCase() : "", parameters, isEncoded };
}

/** A host with or without a port (RFC 3986, section 3.2). It may be empty. */
const hostForm = /^(?:\[[0-9a-f:.%v]+\]|[\w.~!$&'()*+,;=%-]*)(?::[0-9]*)?$/i;

/**
 * Returns the host and port that a request was sent to, in lowercase, or an empty string if the request has no host. Returns `null`
 * if it has several hosts or an invalid one. Such a request must be refused (RFC 9112, section 3.2), because a proxy might have
 * picked a different host. Servers that merge repeated headers join them with a comma and a space, so merged hosts are never valid.
 */
export function parseHost(headers: Headers): string | null {
  const [host, ...others] = headerValues(headers, "host");
  // HTTP/2 sends the host as `:authority`.
  const [authority, ...more] = headerValues(headers, ":authority");
  const named = (authority ?? host ?? "").toLowerCase();
  const isOne = others.length === 0 && more.length === 0 && (host ?? named).toLowerCase() === named;
  return isOne && hostForm.test(named) ? named : null;
}
