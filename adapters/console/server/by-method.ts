import { methodNotAllowedResponse } from "../../http/error-response.js";
import type { HttpRequest, HttpResponse } from "../../http/index.js";
import { securityHeaders } from "./page-response.js";

/** The handlers of a path by method. HEAD uses the handler of GET. */
export type ByMethod = Readonly<
  Partial<Record<"GET" | "POST" | "DELETE", () => HttpResponse | Promise<HttpResponse>>>
>;

/** Answers by the method of a request; with 405 and the methods that the path has when it is none of them. */
export async function handleByMethod({ method }: HttpRequest, served: ByMethod): Promise<HttpResponse> {
  const answers = new Map(Object.entries(served));
  const answer = answers.get(method === "HEAD" ? "GET" : method);
  return answer?.() ?? methodNotAllowedResponse([...answers.keys()], securityHeaders);
}
