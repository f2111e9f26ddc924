import { type HttpRequest, headerValues } from "./http-message.js";

// Each of these headers has one reader: where two read one header differently, what the first refuses gets past the second.

type Headers = HttpRequest["headers"];

/**
 * Returns the value of a cookie; `null` without one, and when its name comes more than once: another host may have set one of them.
 * Only `;` separates cookies, with spaces and tabs around them (RFC 6265, section 4.2.1). Whoever takes more for a separator lets the
 * value of one cookie pass for another, which a browser would not have let its host set.
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

/** What an `Authorization` header holds (RFC 9110, section 11.4). */
export interface Authorization {
  /** In lower case; empty when the header has no such form. */
  readonly scheme: string;
  /** The `token68` after the scheme; `null` for anything else, and when the header was sent more than once. */
  readonly token: string | null;
}

const scheme = /^([\w!#$%&'*+.^`|~-]+) +(?=[^ ])/;
const token68 = /^[A-Za-z0-9._~+/-]+=*$/;

/** Reads the one `Authorization` header that a request may have; `null` without any. */
export function parseAuthorization(headers: Headers): Authorization | null {
  const [sent, ...others] = headerValues(headers, "authorization");
  if (sent === undefined) return null;
  const [start = "", name = ""] = scheme.exec(sent) ?? [];
  const token = sent.slice(start.length);
  const isOne = name !== "" && others.length === 0 && token68.test(token);
  return { scheme: name.toLowerCase(), token: isOne ? token : null };
}

/** What the headers say of a body. */
export interface Content {
  /** The media type in lower case, such as `application/json`; `null` if none was sent, empty if it is malformed or repeated. */
  readonly type: string | null;
  /** The parameters of the type, by their names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Whether the body is compressed, or encoded in another way. */
  readonly isEncoded: boolean;
}

const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?=;|$)/;
const parameter = /;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"([^"]*)"|([^\s",;]*))[ \t]*)?/y;

/** Reads the `Content-Type` and `Content-Encoding` of a request. */
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
 * Returns the host that a request names, with its port, in lower case; empty for a request without any. `null` for a request that names
 * several hosts, or something that is none, which must be refused (RFC 9112, section 3.2): a proxy may have gone by another one than
 * whoever reads it next. Servers that give repeated headers as one text have joined them by a comma and a space.
 */
export function parseHost(headers: Headers): string | null {
  const [host, ...others] = headerValues(headers, "host");
  // HTTP/2 has it under a name of its own.
  const [authority, ...more] = headerValues(headers, ":authority");
  const named = (authority ?? host ?? "").toLowerCase();
  const isOne = others.length === 0 && more.length === 0 && (host ?? named).toLowerCase() === named;
  return isOne && hostForm.test(named) ? named : null;
}
