import { methodNotAllowedResponse } from "../../http/error-response.js";
import type { HttpRequest, HttpResponse } from "../../http/index.js";
import { securityHeaders } from "./page-response.js";

/** A path's handlers, keyed by HTTP method. HEAD uses the handler for GET. */
export type ByMethod = Readonly<
  Partial<Record<"GET" | "POST" | "DELETE", () => HttpResponse | Promise<HttpResponse>>>
>;

/** Calls the handler for the request's method. Responds with 405 and the allowed methods if there is no such handler. */
export async function handleByMethod({ method }: HttpRequest, served: ByMethod): Promise<HttpResponse> {
  const answers = new Map(Object.entries(served));
  const answer = answers.get(method === "HEAD" ? "GET" : method);
  return answer?.() ?? methodNotAllowedResponse([...answers.keys()], securityHeaders);
}
