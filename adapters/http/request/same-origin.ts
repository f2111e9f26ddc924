import { parseUrl } from "../../../src/values/url.js";
import { parseHost } from "./headers.js";
import { type HttpRequest, headerValue } from "./http-message.js";

/** The pages from which a browser may send a request that changes something. */
export interface AllowedOrigins {
  /** The origin that the page must have. Default: the origin of the request's host. */
  readonly origin?: string;
  /** The origins of other pages that may send it as well. */
  readonly trusted?: ReadonlySet<string>;
}

/**
 * Returns false for a request that a page of another origin may have made a browser send. Current browsers say where a request
 * comes from (`Sec-Fetch-Site`), older ones send the origin of a form, and other clients send nothing. No page can set these
 * headers. An origin of `null` is hidden, as in sandboxed frames, and never matches.
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
  // The browser has compared them. A proxy may have changed the host since.
  if (site === "same-origin") return true;
  // An attacker who can change http traffic can serve a page of any host.
  if (isHttps && !origin.startsWith("https:")) return false;
  return isOfHost(origin, headers);
}

/** The error of a form that another site may have sent. */
export const CROSS_ORIGIN_MESSAGE =
  "This form was sent from a different address than the server's. If you didn't come from another site, the proxy in front of the server must pass on the Host header.";

/** True for the origin of a page in the spelling of browsers: `https://shop.example`. */
export function isOrigin(text: string): boolean {
  return parseUrl(text)?.origin === text && text !== "null";
}

/** True when the page has the request's host. Its scheme decides which port may be left out. */
function isOfHost(origin: string, headers: HttpRequest["headers"]): boolean {
  const host = parseHost(headers) ?? "";
  if (!/^[\w.:[\]-]+$/.test(host) || !isOrigin(origin)) return false;
  return parseUrl(`${origin.slice(0, origin.indexOf(":"))}://${host}`)?.origin === origin;
}
