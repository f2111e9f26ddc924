import { urlOf } from "../../../src/values/url.js";
import { headerValue } from "./headers.js";
import type { HttpRequest } from "./message.js";

/** Whose pages may make a browser send a request that changes something, as far as the host has said. */
export interface OwnPages {
  /** The origin of the page that it must be from; where it is not known, that of the request's host. */
  readonly origin?: string;
  /** Those of other pages that may send it as well. */
  readonly trusted?: ReadonlySet<string>;
}

/**
 * False for a request that a page of another origin may have made a browser send. Browsers that are kept up to date say
 * where a request comes from (`Sec-Fetch-Site`), others tell the origin of a form, and what is no browser tells nothing.
 * No page can write these headers. An origin of `null` is one that is hidden, as those of frames without any are: nobody's.
 */
export function isFromOwnPage(
  { headers }: Pick<HttpRequest, "headers">,
  { origin: own, trusted }: OwnPages = {},
): boolean {
  const origin = headerValue(headers, "origin");
  if (origin === "null") return false;
  if (origin !== null && trusted?.has(origin)) return true;
  const site = headerValue(headers, "sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  if (origin === null) return true;
  if (own !== undefined) return origin === own;
  // The browser has compared them. A proxy may have changed the host since.
  return site === "same-origin" || isOfHost(origin, headers);
}

/** What a form says that did not do, since it is from nobody. */
export const notOwnPage =
  "This form was sent from another address than the server is asked at. If you did not come from another site, the proxy before the server has to pass the Host header on.";

/** Whether a text is the origin of pages, as browsers write it: `https://shop.example`. */
export function isOrigin(text: string): boolean {
  return urlOf(text)?.origin === text && text !== "null";
}

/** Whether a page has the host that was asked. Its scheme says which port need not be written. */
function isOfHost(origin: string, headers: HttpRequest["headers"]): boolean {
  // HTTP/2 has it under a name of its own.
  const host = headerValue(headers, ":authority") ?? headerValue(headers, "host");
  if (host === null || !/^[\w.:[\]-]+$/.test(host) || !isOrigin(origin)) return false;
  return urlOf(`${origin.slice(0, origin.indexOf(":"))}://${host}`)?.origin === origin;
}
