import type { HttpRequest } from "../../http/index.js";
import { cookieIn } from "../../http/request/headers.js";

type Sent = Pick<HttpRequest, "headers" | "prefix" | "isHttps">;

/** The name of the console's cookie, where browsers come by http. */
export const NAME = "loyalty-kit-console";

// Sign-ins by a token and by a person share one cookie, so a browser has one of them at a time.

/** Returns the value that a request brings; `null` for none, and for several. */
export function sessionIn(request: Sent): string | null {
  return cookieIn(request.headers, nameFor(request));
}

/** Returns the cookie to set. By https no other host of the site can set one of its name, and it is sent over nothing else. No script reads it. */
export function sessionCookie(value: string, seconds: number, request: Sent): string {
  const place = request.isHttps ? "; Path=/; Secure" : `; Path=${request.prefix}/console`;
  return `${nameFor(request)}=${value}${place}; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
}

function nameFor({ isHttps }: Sent): string {
  return isHttps ? `__Host-${NAME}` : NAME;
}
