import type { HttpRequest } from "../../../http/index.js";
import { getCookie } from "../../../http/request/http-message.js";

type Sent = Pick<HttpRequest, "headers" | "prefix" | "isHttps">;

/** The session cookie's name. The name is prefixed with `__Host-` on cookies set over HTTPS. */
export const NAME = "loyalty-kit-console";

// Token sessions and staff sessions share one cookie, so a browser has only one session at a time.

/** Returns the value of a request's session cookie, or `null` if the cookie is missing or appears more than once. */
export function sessionIn(request: Sent): string | null {
  return getCookie(request.headers, nameFor(request));
}

/**
 * Returns the `Set-Cookie` header value for a session. Scripts can't read the cookie. If the request arrived over HTTPS, browsers
 * send the cookie only over HTTPS, and the cookie's name prevents the site's other hosts from setting it.
 */
export function sessionCookie(value: string, seconds: number, request: Sent): string {
  const place = request.isHttps ? "; Path=/; Secure" : `; Path=${request.prefix}/console`;
  return `${nameFor(request)}=${value}${place}; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
}

function nameFor({ isHttps }: Sent): string {
  return isHttps ? `__Host-${NAME}` : NAME;
}
