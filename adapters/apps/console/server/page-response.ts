import { methodNotAllowedResponse } from "../../../http/error-response.js";
import type { Html } from "../../../http/html-page.js";
import type { HttpRequest, HttpResponse } from "../../../http/index.js";

/** Content security policy that allows nothing from other origins, nothing inline, and no framing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** Security headers that the console adds to every response. */
export const securityHeaders = {
  "content-security-policy": policy,
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "permissions-policy": "camera=(self), microphone=(), geolocation=()",
  "cross-origin-opener-policy": "same-origin",
} as const;

/** Returns an HTML response that browsers must not cache. */
export function pageResponse(page: Html, status = 200): HttpResponse {
  return {
    status,
    headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store", ...securityHeaders },
    body: page.text,
  };
}

/** Returns a JSON response for a request to the console's own endpoints. */
export function jsonResponse(value: unknown): HttpResponse {
  return {
    status: 200,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      ...securityHeaders,
    },
    body: JSON.stringify(value),
  };
}

export function redirectTo(location: string, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return {
    status: 303,
    headers: { location, "cache-control": "no-store", ...securityHeaders, ...headers },
    body: null,
  };
}

/** The handlers for a path, keyed by HTTP method. HEAD requests use the GET handler. */
export type ByMethod = Readonly<
  Partial<Record<"GET" | "POST" | "DELETE", () => HttpResponse | Promise<HttpResponse>>>
>;

/** Calls the handler for the request's method. If there is none, returns a 405 response that lists the allowed methods. */
export async function handleByMethod({ method }: HttpRequest, served: ByMethod): Promise<HttpResponse> {
  const answers = new Map(Object.entries(served));
  const answer = answers.get(method === "HEAD" ? "GET" : method);
  return answer?.() ?? methodNotAllowedResponse([...answers.keys()], securityHeaders);
}
