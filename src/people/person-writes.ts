import type { Step } from "../base/concurrency/step.js";
import { accessDenied, createLoyaltyError, notFound } from "../base/errors.js";
import { type Role, scopesOfRole } from "../base/scopes.js";
import { nextUpdatedAt } from "../base/values/clock.js";
import { foldEmail } from "../base/values/email.js";
import { isStorable } from "../base/values/text.js";
import { recordAuditEntry } from "../kernel/audit.js";
import { assertBelowLimit } from "../kernel/limits.js";
import type { Tenant } from "../kernel/tenant.js";
import type { StoredPerson } from "../storage/people.js";
import { StorageConflict, type StorageReader, type StorageTransaction } from "../storage/storage-adapter.js";
import { createInvitationLink, type LinkedPerson } from "./person-links.js";
import { withoutSession } from "./person-sessions.js";

export interface NewPerson {
  readonly email: string;
  readonly name?: string | null | undefined;
  readonly role: Role;
}

/**
 * Checks that the caller has every scope that a role grants. Callers must not grant, change, or revoke more access than they have.
 * @throws {LoyaltyError} `access_denied`, naming the first scope that the caller lacks.
 */
export function assertMayAssignRole(tenant: Tenant, role: Role): void {
  for (const scope of scopesOfRole[role]) if (!tenant.hasScope(scope)) throw accessDenied(scope);
}

/**
 * Checks that at least one owner who has signed in remains, so that staff can't lock themselves out. A caller without a staff
 * account, such as an API token, can remove even the last owner, because it can add another.
 * @param leavingPerson the person who will no longer be an owner.
 * @throws {LoyaltyError} `last_owner` if no such owner would remain.
 */
export function* assertOwnerRemains(
  tenant: Tenant,
  tx: StorageReader,
  leavingPerson: StoredPerson,
): Step<void> {
  if (leavingPerson.role !== "owner" || !isStaffMember(tenant)) return;
  const otherPeople = (yield* tx.listPeople()).filter(({ id }) => id !== leavingPerson.id);
  if (!otherPeople.some(({ role, lastSignedInAt }) => role === "owner" && lastSignedInAt !== null))
    throw createLoyaltyError("last_owner");
}

/** Returns whether the caller is a staff member who is signed in to the console. */
function isStaffMember({ identity: { kind, id } }: Tenant): boolean {
  return kind === "console" && id !== null && id.startsWith("per_");
}

/**
 * Finds a person in the caller's organization.
 * @throws {LoyaltyError} `resource_not_found`.
 */
export function* findPerson(
  { organizationId }: Tenant,
  reader: StorageReader,
  personId: string,
): Step<StoredPerson> {
  const person = isStorable(personId) ? yield* reader.findPerson(personId) : null;
  if (person === null) throw notFound("person", personId, organizationId);
  return person;
}

/**
 * Adds a person and creates a sign-in link for them.
 * @throws {LoyaltyError} `person_already_exists` or `too_many_people`.
 */
export function* insertPerson(
  tenant: Tenant,
  tx: StorageTransaction,
  { email, name = null, role }: NewPerson,
  options: { readonly isMailed: boolean },
): Step<LinkedPerson> {
  yield* assertBelowLimit(tx, tenant, "people");
  const now = tenant.now();
  const newPerson: StoredPerson = {
    ...{ id: tenant.newId("per"), email, emailFold: foldEmail(email), name, role },
    ...{ invitedAt: now, lastSignedInAt: null, linkHash: null, linkExpiresAt: null },
    ...{ isLinkMailed: false, emailProvenAt: null, sessions: [], passkeys: [], createdAt: now },
  };
  const invitedPerson = createInvitationLink(tenant.organizationId, newPerson, options);
  try {
    yield* tx.insertPerson(invitedPerson.person);
  } catch (error) {
    throw error instanceof StorageConflict ? createLoyaltyError("person_already_exists") : error;
  }
  yield* recordInvitation(tenant, tx, invitedPerson.person);
  return invitedPerson;
}

/**
 * Creates a sign-in link for a person, replacing the previous one.
 * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks a scope that the person's role grants.
 */
export function* replaceLink(
  tenant: Tenant,
  tx: StorageTransaction,
  personId: string,
  options: { readonly isMailed: boolean },
): Step<LinkedPerson> {
  const before = yield* findPerson(tenant, tx, personId);
  assertMayAssignRole(tenant, before.role);
  // The new `invitedAt` invalidates links from earlier invitations.
  const invitedAt = nextUpdatedAt(before.invitedAt, tenant.now());
  const invitedPerson = createInvitationLink(tenant.organizationId, { ...before, invitedAt }, options);
  yield* tx.updatePerson(invitedPerson.person);
  yield* recordInvitation(tenant, tx, invitedPerson.person);
  return invitedPerson;
}

/** Ends all of a person's sessions. Also removes their passkeys, in case an intruder added one. */
export function* endAllSessions(tenant: Tenant, tx: StorageTransaction, person: StoredPerson): Step<void> {
  yield* tx.updatePerson({ ...person, sessions: [], passkeys: [] });
  const details = { sessions: person.sessions.length, passkeys: person.passkeys.length };
  yield* recordAuditEntry(tx, tenant, { action: "session.ended", target: person.id, details });
}

export function* endSession(
  tenant: Tenant,
  tx: StorageTransaction,
  person: StoredPerson,
  sessionId: string,
): Step<void> {
  yield* tx.updatePerson(withoutSession(person, sessionId));
  yield* recordAuditEntry(tx, tenant, { action: "session.ended", target: person.id, details: { sessionId } });
}

function* recordInvitation(tenant: Tenant, tx: StorageTransaction, { id, role }: StoredPerson): Step<void> {
  yield* recordAuditEntry(tx, tenant, { action: "person.invited", target: id, details: { role } });
}
