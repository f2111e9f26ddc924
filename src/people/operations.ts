import { isRole, scopesOfRole } from "../base/roles.js";
import type { Scope } from "../base/scopes.js";
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

const WITHIN = "The caller can only assign roles, and manage staff, whose scopes it has itself.";

const manage = { scope: "people:manage" } as const;

/** Operations that manage staff accounts. */
export const peopleOperations = {
  invite: {
    ...manage,
    operationId: "invitePerson",
    summary: "Invite a staff member",
    description: [
      "Mails a sign-in link for the console, valid for three days and one use. Fails with `rate_limit_exceeded`",
      `above \`invitationsPerDay\`; \`params\` then says when the next day begins. ${WITHIN}`,
    ].join(" "),
    answer: "The person.",
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
    scopesFor: scopesIn,
  },
  list: {
    ...manage,
    operationId: "listPeople",
    summary: "List staff",
    answer: "A page of staff, oldest first.",
    query: personListQuerySchema,
    result: personPageSchema,
    errors: [],
  },
  get: {
    ...manage,
    operationId: "getPerson",
    summary: "Get a staff member",
    answer: "The person.",
    result: personSchema,
    errors: ["resource_not_found"],
  },
  update: {
    ...manage,
    operationId: "updatePerson",
    summary: "Update a staff member",
    description: [
      "Only the given fields change; `name: null` clears the name. A new role applies from the person's next",
      `request on. ${WITHIN}`,
    ].join(" "),
    answer: "The updated person.",
    body: updatePersonSchema,
    result: personSchema,
    errors: ["resource_not_found", "last_owner"],
    scopesFor: scopesIn,
  },
  delete: {
    ...manage,
    operationId: "removePerson",
    summary: "Remove a staff member",
    description: `Their sessions and links end immediately. API tokens and apps that they created remain. ${WITHIN}`,
    answer: "The person was removed.",
    result: null,
    errors: ["resource_not_found", "last_owner"],
  },
  inviteAgain: {
    ...manage,
    operationId: "invitePersonAgain",
    summary: "Resend an invitation",
    description: [
      "Mails a new link, which replaces the previous one. It counts toward `invitationsPerDay`. No request body is",
      `required. ${WITHIN}`,
    ].join(" "),
    answer: "The person.",
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
    answer: "The browsers where the person is signed in, oldest first.",
    result: personSessionSchema.array(),
    errors: ["resource_not_found"],
  },
  endSessions: {
    ...manage,
    operationId: "endSessionsOfPerson",
    summary: "End all of a staff member's sessions",
    description: WITHIN,
    answer: "The person was signed out everywhere, and their passkeys were removed.",
    result: null,
    errors: ["resource_not_found"],
  },
  endSession: {
    ...manage,
    operationId: "endSessionOfPerson",
    summary: "End a staff member's session",
    description: WITHIN,
    answer: "The session was ended.",
    result: null,
    errors: ["resource_not_found"],
  },
  add: { ...manage, arguments: [defineQuery(addPersonSchema)] },
  link: { ...manage, arguments: [textArgument("personId")] },
} satisfies Operations<"people">;

/** Returns the scopes of the requested role, or none if the role doesn't exist. */
function scopesIn(body: unknown): readonly Scope[] {
  if (typeof body !== "object" || body === null || !("role" in body)) return [];
  return isRole(body.role) ? scopesOfRole[body.role] : [];
}
