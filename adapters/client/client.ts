import { callArguments } from "../../src/call-arguments.js";
import { checkCalls } from "../../src/checked-calls.js";
import type { OrganizationCalls } from "../../src/organization-calls.js";
import { requestOf } from "./call-request.js";
import type { Call, Calls } from "./call-table.js";
import { calls } from "./calls.js";
import { type ClientOptions, Connection } from "./connection.js";
import { passCalls } from "./pass-calls.js";

/** What a service answers: of the types that its routes promise, which no compiler sees from here. */
type Promised = ReturnType<typeof JSON.parse>;

/**
 * An organization over HTTP: that of the token. Its calls have the arguments, results and `LoyaltyError`s of
 * `loyalty.organization(id)`. A request that is not answered, or is to come later, is repeated: calls that are a POST
 * with an idempotency key, so that nothing is done twice, the others where a second time does no more than the first.
 *
 * Besides, calls reject with a `ConnectionError` when the service does not answer, with what fetching a token throws, and
 * with the reason of the signal.
 */
export function createClient(options: ClientOptions): OrganizationCalls {
  const connection = new Connection(options);
  const call = async (route: Call, ...args: unknown[]): Promise<Promised> =>
    connection.resultOf(requestOf(route, args));
  const callOf = (route: Call) =>
    route.startsWith("STREAM ")
      ? async function* (...args: unknown[]): AsyncGenerator<Promised, void, undefined> {
          yield* await connection.itemsOf(requestOf(route, args));
        }
      : (...args: unknown[]) => call(route, ...args);
  const callsOf = (resource: Calls): Promised =>
    Object.fromEntries(Object.entries(resource).map(([name, route]) => [name, callOf(route)]));
  return {
    users: checkCalls(callsOf(calls.users), callArguments.users),
    contacts: checkCalls(callsOf(calls.contacts), callArguments.contacts),
    tags: checkCalls(callsOf(calls.tags), callArguments.tags),
    templates: checkCalls(callsOf(calls.templates), callArguments.templates),
    passes: checkCalls({ ...callsOf(calls.passes), ...passCalls(call) }, callArguments.passes),
    stamps: checkCalls(callsOf(calls.stamps), callArguments.stamps),
    events: checkCalls(callsOf(calls.events), callArguments.events),
    webhooks: checkCalls(callsOf(calls.webhooks), callArguments.webhooks),
    audit: checkCalls(callsOf(calls.audit), callArguments.audit),
    apiTokens: checkCalls(callsOf(calls.apiTokens), callArguments.apiTokens),
    statistics: checkCalls(callsOf(calls.statistics), callArguments.statistics),
    apps: checkCalls(callsOf(calls.apps), callArguments.apps),
    grants: checkCalls(callsOf(calls.grants), callArguments.grants),
  };
}
