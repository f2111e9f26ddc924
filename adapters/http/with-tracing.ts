import { describeFailure, type Tracer } from "../../src/base/tracing.js";
import { type HttpRequest, type HttpResponse, splitUrl } from "./request/http-message.js";
import { findRoute } from "./routes.js";

/** The methods that a span may name. A client can send any text as the method. */
const known: ReadonlySet<string> = new Set(
  "CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE".split(" "),
);

/**
 * Wraps a request handler so that each request runs in a span that follows OpenTelemetry's semantic conventions for HTTP servers.
 * The span contains no text from the client. For example, it contains the route's path pattern instead of the request's path.
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
