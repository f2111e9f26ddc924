import { addRoute, createRouter, findRoute } from "rou3";
import { decoded } from "./request/path.js";
import { QueryReader } from "./request/query.js";
import type { Method, Route } from "./routes.js";
import { routes } from "./routes.js";

interface Destination {
  readonly route: Route;
  readonly query: QueryReader;
}

/** What a method and a path lead to. */
export interface Found extends Destination {
  /** Still percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
}

const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

const noParams: Found["params"] = {};

// Each method has its own routes: a fixed path leaves the methods it lacks to the path with a parameter.
const router = createRouter<Destination>();
for (const route of routes) {
  const query = new QueryReader(route.scope === null ? undefined : route.query);
  addRoute(router, route.method, patternOf(route.path), { route, query });
}

/** @param path still percent-encoded, so that an encoded slash belongs to its segment. */
export function find(method: string, path: string): Found | null {
  // A slash at the end is an empty parameter more often than not: nobody who asks for one user wants all of them.
  const found =
    path.startsWith("/") && !path.endsWith("/")
      ? findRoute(router, method === "HEAD" ? "GET" : method, path)
      : undefined;
  if (found === undefined) return null;
  const { route, query } = found.data;
  return { route, query, params: found.params ?? noParams };
}

/** The methods that a path has, for `Allow`; none when there is no such path. */
export function methodsOf(path: string): string[] {
  return methods
    .filter((method) => find(method, path) !== null)
    .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

/** A path in the router's own form, in which a colon begins a parameter unless it is escaped. */
function patternOf(path: string): string {
  return path.replaceAll(":", "\\:").replaceAll(/\{(\w+)\}/g, ":$1");
}

/** @throws {LoyaltyError} `malformed_request` for a malformed percent-encoding. */
export function decodedParams(params: Found["params"]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name in params) values[name] = decoded(params[name] ?? "");
  return values;
}
