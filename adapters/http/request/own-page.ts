import { urlOf } from "../../../src/values/url.js";
import { headerValue } from "./headers.js";
import type { HttpRequest } from "./message.js";

/**
 * False for a request that a page of another origin may have made a browser send. Browsers that are kept up to date say
 * where a request comes from; others tell the origin of a form, and what is no browser tells nothing.
 * @param own the origin of the page that the request should be from; where it is not known, that of the request's host.
 */
export function isFromOwnPage({ headers }: Pick<HttpRequest, "headers">, own?: string): boolean {
  const site = headerValue(headers, "sec-fetch-site");
  if (site !== null && site !== "same-origin") return false;
  const origin = headerValue(headers, "origin");
  if (origin === null) return true;
  // A page that sends no referrer hides its origin as well, as frames without any do.
  if (origin === "null") return site !== null;
  if (own !== undefined) return origin === own;
  // A proxy may have changed the host.
  return site !== null || hostOf(origin) === headerValue(headers, "host");
}

/** The host of an origin, with its port; `null` for what is none. */
export function hostOf(origin: string): string | null {
  return urlOf(origin)?.host ?? null;
}
