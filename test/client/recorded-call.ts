import { isLoyaltyError, type Organization } from "loyalty-kit";
import type { Route } from "loyalty-kit/http";
import { untyped } from "../kit/refusal.js";

/** A call that a route makes on an organization. */
export interface RecordedCall {
  readonly resource: string;
  readonly method: string;
  readonly args: readonly unknown[];
  /** The request's body and query. */
  readonly input: readonly unknown[];
}

/** The parts of a request that a handler gets. */
export interface RouteInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Records the call that a route's handler makes. Each path parameter defaults to its own name in braces. Returns `null`
 * if the handler makes no call, or rejects an empty body or query.
 */
export async function recordCall(route: Route, routeInput?: RouteInput): Promise<RecordedCall | null> {
  if (route.scope === null) return null;
  const { params, query, body } = routeInput ?? {
    params: Object.fromEntries([...route.path.matchAll(/\{(\w+)\}/g)].map(([text, name]) => [name, text])),
    query: {},
    body: {},
  };
  const calls: RecordedCall[] = [];
  const organization: Organization = untyped(
    new Proxy({}, { get: (_, resource) => createRecorder(String(resource), [body, query], calls) }),
  );
  const input = { params, query: untyped(query), body };
  try {
    if ("file" in route) route.bytes(organization, input);
    else if (route.streamed) route.items(organization, input);
    else await route.handle(organization, input);
  } catch (error) {
    if (!isLoyaltyError(error)) throw error;
  }
  return calls[0] ?? null;
}

function createRecorder(resource: string, input: readonly unknown[], calls: RecordedCall[]) {
  return new Proxy(
    {},
    {
      get:
        (_, method) =>
        (...args: unknown[]) => {
          calls.push({ resource, method: String(method), args, input });
          return (async function* () {})();
        },
    },
  );
}
