import { isLoyaltyError } from "../../src/errors.js";
import { refusalOf } from "../../src/operations/arguments.js";
import type { OrganizationCalls } from "../../src/operations/groups.js";
import { callsOver } from "./calls-over.js";
import { type ClientOptions, Connection } from "./connection.js";

/**
 * An organization over HTTP: that of the token. Its calls have the arguments, results and `LoyaltyError`s of
 * `loyalty.organization(id)`. A request that is not answered, or is to come later, is repeated: calls that are a POST
 * with an idempotency key, so that nothing is done twice, the others where a second time does no more than the first.
 *
 * Besides, calls reject with a `ConnectionError` when the service does not answer, with what fetching a token throws, and
 * with the reason of the signal.
 *
 * @example
 * import { createClient } from "loyalty-kit/client";
 *
 * const cafe = createClient({ url: "http://localhost:3000", token: process.env.LOYALTY_TOKEN ?? "" });
 * const anna = await cafe.users.create({ email: "anna@example.com" });
 * await cafe.tags.assign(anna.id, "vip");
 */
export function createClient(options: ClientOptions): OrganizationCalls {
  const calls = callsOver(new Connection(options), refusalOf);
  const { users } = calls;
  return { ...calls, users: { ...users, find: (...given) => users.find(...given).catch(orNull) } };
}

/** The result of a call that looks for something: `null` where the service has found nothing. */
function orNull(error: unknown): null {
  if (isLoyaltyError(error, "resource_not_found")) return null;
  throw error;
}
