import { invalid } from "../../../src/errors.js";
import type { ActorDetails } from "../../../src/resources/actor.js";
import { headerValues } from "./headers.js";
import type { HttpRequest } from "./message.js";

/** As the interface writes it, in errors too. */
export const LOYALTY_ACTOR = "Loyalty-Actor";

const fields: readonly string[] = ["subject", "location", "receipt"] satisfies (keyof ActorDetails)[];

/**
 * For whom a request says that it is made: in the form of a query, `subject=ada&location=Harbour`, so that any text can be
 * in a header; `null` when it does not.
 * @throws {LoyaltyError} `validation_failed` when there are several, and for a field that is unknown or is there twice.
 */
export function actorDetailsOf(headers: HttpRequest["headers"]): ActorDetails | null {
  const [sent, second] = headerValues(headers, "loyalty-actor");
  if (sent === undefined) return null;
  if (second !== undefined) throw invalid({ [LOYALTY_ACTOR]: "must be sent once" });
  const pairs = [...new URLSearchParams(sent)];
  const names = pairs.map(([name]) => name);
  const wrong = names.filter((name, at) => !fields.includes(name) || names.indexOf(name) !== at);
  if (wrong.length > 0)
    throw invalid({ [LOYALTY_ACTOR]: `must have ${fields.join(", ")}, each once at most` });
  return Object.fromEntries(pairs);
}
