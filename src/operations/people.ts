import {
  addPersonSchema,
  invitePersonAgainSchema,
  invitePersonSchema,
  personListQuerySchema,
  personPageSchema,
  personSchema,
  personSessionSchema,
  updatePersonSchema,
} from "../resources/person.js";
import { isRole, scopesOfRole } from "../roles.js";
import type { Scope } from "../scopes.js";
import { text } from "./arguments.js";
import { type Operations, query } from "./operation.js";

const WITHIN = "Nobody can give a role with a scope that they lack, nor manage who has one.";

const manage = { scope: "people:manage" } as const;

/** The operations on people who sign in. */
export const peopleOperations = {
  invite: {
    ...manage,
    operationId: "invitePerson",
    summary: "Invite a person",
    description: `Mails them a link, good for three days and once, by which they sign in at the console. Above \`invitationsPerDay\`, it fails with \`rate_limit_exceeded\`, whose params say when the next day begins. ${WITHIN}`,
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
    summary: "List people",
    answer: "A page of people, oldest first.",
    query: personListQuerySchema,
    result: personPageSchema,
    errors: [],
  },
  get: {
    ...manage,
    operationId: "getPerson",
    summary: "Get a person",
    answer: "The person.",
    result: personSchema,
    errors: ["resource_not_found"],
  },
  update: {
    ...manage,
    operationId: "updatePerson",
    summary: "Change a person",
    description: `Only sent fields change; \`name: null\` clears it. Another role counts from their next request on. ${WITHIN}`,
    answer: "The person as it is now.",
    body: updatePersonSchema,
    result: personSchema,
    errors: ["resource_not_found", "last_owner"],
    scopesFor: scopesIn,
  },
  delete: {
    ...manage,
    operationId: "removePerson",
    summary: "Remove a person",
    description: `Their sessions and links end at once. API tokens and apps that they have made stay. ${WITHIN}`,
    answer: "The person is removed.",
    result: null,
    errors: ["resource_not_found", "last_owner"],
  },
  inviteAgain: {
    ...manage,
    operationId: "invitePersonAgain",
    summary: "Invite a person again",
    description: `Mails another link; the one before is void. It needs no body. It counts for \`invitationsPerDay\`. ${WITHIN}`,
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
    summary: "List the sessions of a person",
    answer: "The browsers in which the person is signed in, oldest first.",
    result: personSessionSchema.array(),
    errors: ["resource_not_found"],
  },
  endSessions: {
    ...manage,
    operationId: "endSessionsOfPerson",
    summary: "End all sessions of a person",
    description: WITHIN,
    answer: "The person is signed out everywhere, and their passkeys are removed.",
    result: null,
    errors: ["resource_not_found"],
  },
  endSession: {
    ...manage,
    operationId: "endSessionOfPerson",
    summary: "End a session of a person",
    description: WITHIN,
    answer: "The session has ended.",
    result: null,
    errors: ["resource_not_found"],
  },
  add: { ...manage, arguments: [query(addPersonSchema)] },
  link: { ...manage, arguments: [text("personId")] },
} satisfies Operations<"people">;

/** The scopes of the role that is asked for, as far as it is one. */
function scopesIn(body: unknown): readonly Scope[] {
  if (typeof body !== "object" || body === null || !("role" in body)) return [];
  return isRole(body.role) ? scopesOfRole[body.role] : [];
}
