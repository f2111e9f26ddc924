import { isRole, type Scope, scopesOfRole } from "../base/scopes.js";
import { defineQuery, type Operations } from "../kernel/operation.js";
import { textArgument } from "../kernel/operation-arguments.js";
import {
  addPersonSchema,
  invitePersonAgainSchema,
  invitePersonSchema,
  personListQuerySchema,
  personPageSchema,
  personSchema,
  personSessionSchema,
  updatePersonSchema,
} from "./schema.js";

const SCOPE_RULE =
  "You can only assign roles and manage staff members if you have all of their scopes yourself.";

const manage = { scope: "people:manage" } as const;

export const peopleOperations = {
  invite: {
    ...manage,
    operationId: "invitePerson",
    summary: "Invite a staff member",
    description:
      "Emails the person a link for signing in to the console. The link works once and expires in three " +
      "days. Fails with `rate_limit_exceeded` if the organization exceeds `invitationsPerDay`; in that " +
      `case, \`params\` contains the start of the next day. ${SCOPE_RULE}`,
    answer: "The staff member.",
    body: invitePersonSchema,
    status: 201,
    result: personSchema,
    errors: [
      "mail_not_configured",
      "person_already_exists",
      "person_mailed_recently",
      "too_many_people",
      "too_many_pending_deliveries",
    ],
    location: "/v1/people",
    scopesFor: listRoleScopes,
  },
  list: {
    ...manage,
    operationId: "listPeople",
    summary: "List staff members",
    answer: "A page of staff members, oldest first.",
    query: personListQuerySchema,
    result: personPageSchema,
    errors: [],
  },
  get: {
    ...manage,
    operationId: "getPerson",
    summary: "Get a staff member",
    answer: "The staff member.",
    result: personSchema,
    errors: ["resource_not_found"],
  },
  update: {
    ...manage,
    operationId: "updatePerson",
    summary: "Update a staff member",
    description:
      "Updates only the fields you provide; `name: null` clears the name. A new role takes effect with the " +
      `person's next request. ${SCOPE_RULE}`,
    answer: "The updated staff member.",
    body: updatePersonSchema,
    result: personSchema,
    errors: ["resource_not_found", "last_owner"],
    scopesFor: listRoleScopes,
  },
  delete: {
    ...manage,
    operationId: "removePerson",
    summary: "Remove a staff member",
    description:
      "Ends the person's sessions and revokes their sign-in links immediately. API tokens and apps that " +
      `they created are kept. ${SCOPE_RULE}`,
    answer: "The staff member was removed.",
    result: null,
    errors: ["resource_not_found", "last_owner"],
  },
  inviteAgain: {
    ...manage,
    operationId: "invitePersonAgain",
    summary: "Resend an invitation",
    description:
      "Emails a new link, which replaces the previous one. Counts toward `invitationsPerDay`. The request body " +
      `is optional. ${SCOPE_RULE}`,
    answer: "The staff member.",
    body: invitePersonAgainSchema,
    needsNoBody: true,
    result: personSchema,
    errors: [
      "resource_not_found",
      "mail_not_configured",
      "person_mailed_recently",
      "too_many_pending_deliveries",
    ],
  },
  sessions: {
    ...manage,
    operationId: "listSessionsOfPerson",
    summary: "List a staff member's sessions",
    answer: "The staff member's sessions, oldest first.",
    result: personSessionSchema.array(),
    errors: ["resource_not_found"],
  },
  endSessions: {
    ...manage,
    operationId: "endSessionsOfPerson",
    summary: "End all of a staff member's sessions",
    description: SCOPE_RULE,
    answer: "The person was signed out everywhere, and their passkeys were removed.",
    result: null,
    errors: ["resource_not_found"],
  },
  endSession: {
    ...manage,
    operationId: "endSessionOfPerson",
    summary: "End a staff member's session",
    description: SCOPE_RULE,
    answer: "The session was ended.",
    result: null,
    errors: ["resource_not_found"],
  },
  add: { ...manage, arguments: [defineQuery(addPersonSchema)] },
  link: { ...manage, arguments: [textArgument("personId")] },
} satisfies Operations<"people">;

/** Returns the scopes of the requested role, or none if the role doesn't exist. */
function listRoleScopes(body: unknown): readonly Scope[] {
  if (typeof body !== "object" || body === null || !("role" in body)) return [];
  return isRole(body.role) ? scopesOfRole[body.role] : [];
}
