import { parseUrl } from "../../../src/base/values/url.js";
import { parseHost } from "./headers.js";
import { type HttpRequest, headerValue } from "./http-message.js";

/** The origins whose pages may make a browser send a request that changes something. */
export interface AllowedOrigins {
  /** The service's own origin. Default: the origin of the request's host. */
  readonly origin?: string;
  /** Additional origins whose pages may send the request. */
  readonly trusted?: ReadonlySet<string>;
}

/**
 * Returns `false` if a page from another origin may have made a browser send the request. Current browsers report where a request
 * comes from in `Sec-Fetch-Site`, older browsers send a form's origin, and other clients send neither header. Pages can't set these
 * headers. An origin of `null`, which sandboxed frames send to hide their origin, never matches.
 */
export function isSameOrigin(
  { headers, isHttps }: Pick<HttpRequest, "headers" | "isHttps">,
  { origin: own, trusted }: AllowedOrigins = {},
): boolean {
  const origin = headerValue(headers, "origin");
  if (origin === "null") return false;
  if (origin !== null && trusted?.has(origin)) return true;
  const site = headerValue(headers, "sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  if (origin === null) return true;
  if (own !== undefined) return origin === own;
  // The browser has compared the origins itself. A proxy may have changed the host since.
  if (site === "same-origin") return true;
  // An attacker who can modify HTTP traffic can serve a page from any host.
  if (isHttps && !origin.startsWith("https:")) return false;
  return isOfHost(origin, headers);
}

/** Error message for a form that a page on another site may have submitted. */
export const CROSS_ORIGIN_MESSAGE =
  "This form was sent from another site. If it wasn't, make sure the proxy in front of the server forwards the Host header.";

/** Returns whether the string is a page's origin exactly as browsers spell it, such as `https://shop.example`. */
export function isOrigin(text: string): boolean {
  return parseUrl(text)?.origin === text && text !== "null";
}

/** Returns whether the origin matches the request's host. The origin's scheme decides which port is the default. */
function isOfHost(origin: string, headers: HttpRequest["headers"]): boolean {
  const host = parseHost(headers) ?? "";
  if (!/^[\w.:[\]-]+$/.test(host) || !isOrigin(origin)) return false;
  return parseUrl(`${origin.slice(0, origin.indexOf(":"))}://${host}`)?.origin === origin;
}
