import { parseUrl } from "../../../src/base/values/url.js";
import { getHeaderValue, type HttpRequest, parseHost } from "./http-message.js";

/** The origins whose pages can send requests that change data. */
export interface AllowedOrigins {
  /** The service's own origin. Default: the origin of the request's host. */
  readonly origin?: string;
  /** Additional origins whose pages can send such requests. */
  readonly trusted?: ReadonlySet<string>;
}

/**
 * Returns `false` if the request might have been sent by a page from another origin. Current browsers send `Sec-Fetch-Site`, which
 * indicates where the request comes from. Older browsers send an `Origin` header with form submissions. Other clients send neither
 * header. Pages can't set these headers. The origin `null`, which sandboxed frames send to hide their origin, never matches.
 */
export function isSameOrigin(
  { headers, isHttps }: Pick<HttpRequest, "headers" | "isHttps">,
  { origin: ownOrigin, trusted }: AllowedOrigins = {},
): boolean {
  const origin = getHeaderValue(headers, "origin");
  if (origin === "null") return false;
  if (origin !== null && trusted?.has(origin)) return true;
  const site = getHeaderValue(headers, "sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  if (origin === null) return true;
  if (ownOrigin !== undefined) return origin === ownOrigin;
  // The browser has compared the origins itself. A proxy may have changed the host since.
  if (site === "same-origin") return true;
  // An attacker who can modify HTTP traffic can serve a page from any host.
  if (isHttps && !origin.startsWith("https:")) return false;
  return matchesHost(origin, headers);
}

/** The error message for a form submission that might come from a page on another origin. */
export const CROSS_ORIGIN_MESSAGE =
  "This form was sent from another site. If it wasn't, make sure the proxy in front of the server forwards the Host header.";

/** Returns whether the string is an origin in exactly the format that browsers send, such as `https://shop.example`. */
export function isOrigin(text: string): boolean {
  return parseUrl(text)?.origin === text && text !== "null";
}

/** Returns whether the origin matches the request's host. The origin's scheme decides which port is the default. */
function matchesHost(origin: string, headers: HttpRequest["headers"]): boolean {
  const host = parseHost(headers) ?? "";
  if (!/^[\w.:[\]-]+$/.test(host) || !isOrigin(origin)) return false;
  return parseUrl(`${origin.slice(0, origin.indexOf(":"))}://${host}`)?.origin === origin;
}
