import type { OrganizationCalls } from "../../src/organization-calls.js";
import { type CallRequest, requestOf } from "./call-request.js";
import type { Call, Calls } from "./call-table.js";
import { calls } from "./calls.js";
import { passCalls } from "./pass-calls.js";

/** The result of a call, of the type that its route promises, which no compiler sees from here. */
type Promised = ReturnType<typeof JSON.parse>;

/** Sends the requests of calls to a service. */
export interface Transport {
  /** Resolves to the result of a request; `undefined` for an answer without a body. */
  resultOf(request: CallRequest): Promise<unknown>;
  /** Resolves to the items of a list that is streamed. */
  itemsOf(request: CallRequest): Promise<AsyncIterable<unknown>>;
}

/** The calls of an organization, each sent as the request that its route takes. Their arguments are not checked. */
export function callsOver(transport: Transport): OrganizationCalls {
  const call = async (route: Call, ...args: unknown[]): Promise<Promised> =>
    transport.resultOf(requestOf(route, args));
  const callOf = (route: Call) =>
    route.startsWith("STREAM ")
      ? async function* (...args: unknown[]): AsyncGenerator<Promised, void, undefined> {
          yield* await transport.itemsOf(requestOf(route, args));
        }
      : (...args: unknown[]) => call(route, ...args);
  const callsOf = (resource: Calls) =>
    Object.fromEntries(Object.entries(resource).map(([name, route]) => [name, callOf(route)]));
  const organization: Promised = Object.fromEntries(
    Object.entries(calls).map(([name, resource]) => [name, callsOf(resource)]),
  );
  Object.assign(organization.passes, passCalls(call));
  return organization;
}
