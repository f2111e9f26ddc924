import { type Argument, callArguments } from "../../src/call-arguments.js";
import { checkCalls } from "../../src/checked-calls.js";
import type { OrganizationCalls } from "../../src/organization-calls.js";
import { callsOver } from "./calls-over.js";
import { type ClientOptions, Connection } from "./connection.js";

const argumentsOf: Readonly<Record<string, Readonly<Record<string, readonly Argument[]>>>> = callArguments;

/**
 * An organization over HTTP: that of the token. Its calls have the arguments, results and `LoyaltyError`s of
 * `loyalty.organization(id)`. A request that is not answered, or is to come later, is repeated: calls that are a POST
 * with an idempotency key, so that nothing is done twice, the others where a second time does no more than the first.
 *
 * Besides, calls reject with a `ConnectionError` when the service does not answer, with what fetching a token throws, and
 * with the reason of the signal.
 */
export function createClient(options: ClientOptions): OrganizationCalls {
  const organization = callsOver(new Connection(options));
  for (const [name, calls] of Object.entries(organization)) checkCalls(calls, argumentsOf[name] ?? {});
  return organization;
}
