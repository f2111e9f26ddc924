import { describeFailure, type Tracer } from "../../src/tracing.js";
import { type HttpRequest, type HttpResponse, splitUrl } from "./request/http-message.js";
import { findRoute } from "./routes.js";

/** The methods that may stand in a span; a client can send any text. */
const known: ReadonlySet<string> = new Set(
  "CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE".split(" "),
);

/**
 * Answers requests, each as a span, by the semantic conventions of HTTP servers. What a client has sent is not in it: of
 * the path the route alone.
 */
export function withTracing(
  handle: (request: HttpRequest) => Promise<HttpResponse>,
  tracer: Tracer,
): (request: HttpRequest) => Promise<HttpResponse> {
  return async (request) => {
    const { method, url, prefix, headers } = request;
    const route = findRoute(method, splitUrl(url).path)?.target.route.path;
    const isKnown = known.has(method);
    const verb = isKnown ? method : "HTTP";
    const span = tracer.begin({
      name: route === undefined ? verb : `${verb} ${prefix}${route}`,
      kind: "server",
      attributes: {
        "http.request.method": isKnown ? method : "_OTHER",
        ...(route !== undefined && { "http.route": prefix + route }),
      },
      headers,
    });
    try {
      const answer = await span.run(() => handle(request));
      const { status } = answer;
      span.set({ "http.response.status_code": status });
      span.end(status < 500 ? null : { type: String(status), cause: null });
      return answer;
    } catch (error) {
      span.end(describeFailure(error));
      throw error;
    }
  };
}
