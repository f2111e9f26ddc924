import type { LoyaltyError, Missing } from "../../src/errors.js";
import type { Organization } from "../../src/organization.js";
import type { Scope } from "../../src/scopes.js";
import type { AnswerHeaders } from "./request/answer-headers.js";

/** The header of a 404 that says which of the things that a request names is missing. */
export const LOYALTY_MISSING = "loyalty-missing";

/** The scope that shows whether there is such a thing. */
const shownBy: Readonly<Record<Missing, Scope>> = {
  user: "user:read",
  UserTag: "user_tag:read",
  UserTagAssignment: "user_tag:read",
  template: "template:read",
  wallet_pass: "pass:read",
  stamp_entry: "pass:read",
  api_token: "api_token:manage",
  app: "api_token:manage",
  grant: "api_token:manage",
  webhook_endpoint: "webhook:manage",
  webhook_delivery: "webhook:manage",
  event: "webhook:manage",
};

/** The answer to an error, with what is missing for those who may look for it themselves. */
export function tellingMissing<Told extends { readonly headers: AnswerHeaders }>(
  answer: Told,
  organization: Organization,
  { missing }: LoyaltyError,
): Told {
  if (missing !== null && organization.holds(shownBy[missing])) answer.headers[LOYALTY_MISSING] = missing;
  return answer;
}
