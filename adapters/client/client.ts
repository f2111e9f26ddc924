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
  async function* list(route: Call, ...args: unknown[]): AsyncGenerator<Promised, void, undefined> {
    yield* await connection.itemsOf(requestOf(route, args));
  }
  const callsOf = (resource: Calls): Promised =>
    Object.fromEntries(
      Object.entries(resource).map(([name, route]) => {
        const way = route.startsWith("STREAM ") ? list : call;
        return [name, (...args: unknown[]) => way(route, ...args)];
      }),
    );
  return {
    users: callsOf(calls.users),
    contacts: callsOf(calls.contacts),
    tags: callsOf(calls.tags),
    templates: callsOf(calls.templates),
    passes: { ...callsOf(calls.passes), ...passCalls(call) },
    stamps: callsOf(calls.stamps),
    events: callsOf(calls.events),
    webhooks: callsOf(calls.webhooks),
    audit: callsOf(calls.audit),
    apiTokens: callsOf(calls.apiTokens),
    statistics: callsOf(calls.statistics),
    apps: callsOf(calls.apps),
    grants: callsOf(calls.grants),
  };
}
