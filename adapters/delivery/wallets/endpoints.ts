import type { HttpRequest, HttpResponse } from "../../http/index.js";
import { splitUrl } from "../../http/request/http-message.js";
import { walletErrorResponse } from "./responses.js";

/** Every path that wallets and phones may request without an API token, and its methods. Parameters are in braces. */
const routes = [
  ["/wallets/images/{hash}", "GET, HEAD"],
  ["/wallets/heroes/{signature}/{drawing}", "GET, HEAD"],
  ["/wallets/apple/passes/{passId}/{file}", "GET, HEAD"],
  ["/wallets/apple/v1/log", "POST"],
  ["/wallets/apple/v1/passes/{passTypeId}/{passId}", "GET, HEAD"],
  ["/wallets/apple/v1/devices/{deviceId}/registrations/{passTypeId}", "GET, HEAD"],
  ["/wallets/apple/v1/devices/{deviceId}/registrations/{passTypeId}/{passId}", "POST, DELETE"],
  ["/wallets/google/callback", "POST"],
  ["/wallets/google/passes/{passId}/{token}", "GET, HEAD"],
  ["/wallets/google/logos/{file}", "GET, HEAD"],
] as const;

type PublicPath = (typeof routes)[number][0];

export const publicPaths: readonly PublicPath[] = routes.map(([path]) => path);

/** Handles requests for one path; receives the decoded path parameters. Paths without an endpoint respond with not found. */
type Endpoint = (request: HttpRequest, ...parameters: string[]) => HttpResponse | Promise<HttpResponse>;
export type Endpoints = Readonly<Partial<Record<PublicPath, Endpoint>>>;

interface Route {
  readonly segments: readonly string[];
  readonly allow: string;
  readonly endpoint: Endpoint;
}

/**
 * Creates a handler that routes each request to the endpoint for its path.
 * @param fixedParameters the path parameters that have only one valid value. A request with any other value receives a not-found response.
 */
export function routeEndpoints(
  endpoints: Endpoints,
  fixedParameters: Readonly<Record<string, string>>,
): Endpoint {
  const endpointRoutes = routes.flatMap(([path, allow]): Route[] => {
    const endpoint = endpoints[path];
    return endpoint === undefined ? [] : [{ segments: path.split("/").slice(1), allow, endpoint }];
  });
  const matches = (segment: string, part = "") =>
    segment.startsWith("{") ? (fixedParameters[segment.slice(1, -1)] ?? part) === part : segment === part;
  return (request) => {
    const parts = decodeSegments(splitUrl(request.url).path.slice(1));
    if (parts === null) return walletErrorResponse("malformed_request");
    const route = endpointRoutes.find(
      ({ segments }) =>
        segments.length === parts.length && segments.every((segment, at) => matches(segment, parts[at])),
    );
    if (route === undefined) return walletErrorResponse("resource_not_found");
    const { segments, allow, endpoint } = route;
    if (!allow.split(", ").includes(request.method))
      return walletErrorResponse("method_not_allowed", { allow });
    return endpoint(request, ...parts.filter((_, at) => segments[at]?.startsWith("{")));
  };
}

/** Returns a path's decoded segments, or `null` if a segment is malformed. */
function decodeSegments(path: string): string[] | null {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return null;
  }
}
