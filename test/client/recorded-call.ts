import { isLoyaltyError, type Organization } from "loyalty-kit";
import type { Route } from "loyalty-kit/http";
import { untyped } from "../kit/refusal.js";

/** What a route calls of an organization. */
export interface RecordedCall {
  readonly resource: string;
  readonly method: string;
  readonly args: readonly unknown[];
  /** What stood for the body and for the query. */
  readonly input: readonly unknown[];
}

/** What a handler gets of a request. */
export interface RouteInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * What the handler of a route calls when each parameter has its own name in braces for a value, or what it is given.
 * `null` for one that calls nothing, or refuses an empty body or query.
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
