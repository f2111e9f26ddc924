import { methodNotAllowedResponse } from "../../../http/error-response.js";
import type { HttpRequest, HttpResponse } from "../../../http/index.js";
import { securityHeaders } from "./page-response.js";

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
