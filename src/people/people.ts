import { runStep, type Step } from "../base/concurrency/step.js";
import { createLoyaltyError, notFound } from "../base/errors.js";
import { offsetOf, type Page, type PageQuery, pageOf } from "../base/page.js";
import { parse, parseNew } from "../base/parse.js";
import { timestamp } from "../base/values/clock.js";
import { recordAuditEntry } from "../kernel/audit.js";
import type { IdempotencyOptions, KeyedRequest } from "../kernel/idempotency/idempotent-call.js";
import type { SignInMail } from "../kernel/mail-gateway.js";
import type { Tenant } from "../kernel/tenant.js";
import { UseCases } from "../kernel/use-cases.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { countInvitation } from "./mail-counts.js";
import { type LinkedPerson, readShopName } from "./person-links.js";
import { listActiveSessions } from "./person-sessions.js";
import {
  assertMayAssignRole,
  assertOwnerRemains,
  endAllSessions,
  endSession,
  findPerson,
  insertPerson,
  type NewPerson,
  replaceLink,
} from "./person-writes.js";
import {
  type AddedPerson,
  type AddPerson,
  addPersonSchema,
  type InvitePerson,
  type InvitePersonAgain,
  invitePersonAgainSchema,
  invitePersonSchema,
  type Person,
  type PersonLink,
  type PersonSession,
  personListQuerySchema,
  personOf,
  personSessionOf,
  type UpdatePerson,
  updatePersonSchema,
} from "./schema.js";

/** Manages staff accounts. Staff sign in to the console by email. All methods require the `people:manage` scope. */
export class People extends UseCases {
  /**
   * Adds a person and emails them a sign-in link that is valid for three days and works once. The email is sent right away and
   * isn't queued in storage, so if the process ends before it is sent, invite the person again.
   * @throws {LoyaltyError} `validation_failed`, `mail_not_configured`, `person_already_exists`, `too_many_people`,
   *   `too_many_pending_deliveries`, `person_mailed_recently` after five invitations to the address within an hour (ten across all
   *   organizations), `rate_limit_exceeded` above `limits.invitationsPerDay`, or `access_denied` if the caller lacks
   *   `people:manage` or a scope that the person's role grants.
   * @example
   * const person = await cafe.people.invite({ email: "ada@cafe.example", role: "manager" });
   */
  async invite(input: InvitePerson & IdempotencyOptions): Promise<Person> {
    const { language = null, ...fields } = parseNew(invitePersonSchema, input);
    assertMayAssignRole(this.tenant, fields.role);
    return changeAndMailLink(this.tenant, ["people.invite", input], language, (tx) =>
      insertPerson(this.tenant, tx, fields, { isMailed: true }),
    );
  }

  /**
   * Adds a person without sending an email. Anyone who has the returned link can sign in as that person, so give it only to them.
   * @throws {LoyaltyError} the same errors as {@link invite}, except those about sending email.
   */
  async add(input: AddPerson): Promise<AddedPerson> {
    const { tenant } = this;
    const fields: NewPerson = parseNew(addPersonSchema, input);
    assertMayAssignRole(tenant, fields.role);
    return tenant.change(["people.add", input], function* ({ tx }) {
      const linkedPerson = yield* insertPerson(tenant, tx, fields, { isMailed: false });
      return { person: personOf(linkedPerson.person), link: toPersonLink(linkedPerson) };
    });
  }

  /**
   * Creates a sign-in link for a person without sending an email. The link is valid for three days and replaces the previous one.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `people:manage` or a scope that the
   *   person's role grants.
   */
  async link(personId: string): Promise<PersonLink> {
    const { tenant } = this;
    return tenant.change(["people.link", personId], function* ({ tx }) {
      return toPersonLink(yield* replaceLink(tenant, tx, personId, { isMailed: false }));
    });
  }

  /**
   * Returns a page of people, oldest first.
   * @throws {LoyaltyError} `validation_failed`, or `access_denied` if the caller lacks `people:manage`.
   */
  async list(query: PageQuery = {}): Promise<Page<Person>> {
    const request = parse(personListQuerySchema, query);
    const people = await runStep(this.tenant.reader.listPeople());
    const from = offsetOf(request);
    return pageOf(people.slice(from, from + request.size).map(personOf), people.length, request);
  }

  /**
   * Returns a person.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `people:manage`.
   */
  async get(personId: string): Promise<Person> {
    return personOf(await runStep(findPerson(this.tenant, this.tenant.reader, personId)));
  }

  /**
   * Updates a person. Fields that aren't given stay unchanged. A new role takes effect on the person's next request.
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, `access_denied` if the caller lacks `people:manage` or a
   *   scope that the current or new role grants, or `last_owner` if the caller is a staff member and the change would leave no
   *   owner who has signed in.
   */
  async update(personId: string, input: UpdatePerson & IdempotencyOptions): Promise<Person> {
    const { tenant } = this;
    const { name, role } = parse(updatePersonSchema, input);
    if (role !== undefined) assertMayAssignRole(tenant, role);
    return tenant.change(["people.update", personId, input], function* ({ tx }) {
      const before = yield* findPerson(tenant, tx, personId);
      assertMayAssignRole(tenant, before.role);
      const after = { ...before, name: name === undefined ? before.name : name, role: role ?? before.role };
      if (after.name === before.name && after.role === before.role) return personOf(before);
      if (after.role !== "owner") yield* assertOwnerRemains(tenant, tx, before);
      yield* tx.updatePerson(after);
      const details = { role: after.role, formerRole: before.role };
      yield* recordAuditEntry(tx, tenant, { action: "person.changed", target: personId, details });
      return personOf(after);
    });
  }

  /**
   * Removes a person. Their sessions and links stop working immediately in every process. Resources that they created are kept and
   * still contain the person's ID, but no other data about the person.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` or `last_owner` in the same cases as {@link update}.
   */
  async delete(personId: string, options: IdempotencyOptions = {}): Promise<void> {
    const { tenant } = this;
    await tenant.change(["people.delete", personId, options], function* ({ tx }) {
      const person = yield* findPerson(tenant, tx, personId);
      const { role } = person;
      assertMayAssignRole(tenant, role);
      yield* assertOwnerRemains(tenant, tx, person);
      yield* tx.deletePerson(personId);
      yield* recordAuditEntry(tx, tenant, { action: "person.removed", target: personId, details: { role } });
    });
    await tenant.storage.purge();
  }

  /**
   * Emails a person a new sign-in link. The link is valid for three days and replaces the previous one.
   * @throws {LoyaltyError} `resource_not_found`, `mail_not_configured`, `person_mailed_recently`, `rate_limit_exceeded`,
   *   `too_many_pending_deliveries`, `validation_failed`, or `access_denied` if the caller lacks `people:manage` or a scope that
   *   the person's role grants.
   */
  async inviteAgain(personId: string, input: InvitePersonAgain & IdempotencyOptions = {}): Promise<Person> {
    const { language = null } = parse(invitePersonAgainSchema, input);
    return changeAndMailLink(this.tenant, ["people.inviteAgain", personId, input], language, (tx) =>
      replaceLink(this.tenant, tx, personId, { isMailed: true }),
    );
  }

  /**
   * Lists a person's sessions, oldest first.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `people:manage`.
   */
  async sessions(personId: string): Promise<PersonSession[]> {
    const person = await runStep(findPerson(this.tenant, this.tenant.reader, personId));
    return listActiveSessions(person, this.tenant.now()).map(personSessionOf);
  }

  /**
   * Ends all of a person's sessions immediately and removes their passkeys.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `people:manage` or a scope that the
   *   person's role grants.
   */
  async endSessions(personId: string, options: IdempotencyOptions = {}): Promise<void> {
    const { tenant } = this;
    await tenant.change(["people.endSessions", personId, options], function* ({ tx }) {
      const person = yield* findPerson(tenant, tx, personId);
      assertMayAssignRole(tenant, person.role);
      yield* endAllSessions(tenant, tx, person);
    });
  }

  /**
   * Ends one of a person's sessions immediately.
   * @throws {LoyaltyError} `resource_not_found` if the person or session doesn't exist, or `access_denied` if the caller lacks
   *   `people:manage` or a scope that the person's role grants.
   */
  async endSession(personId: string, sessionId: string, options: IdempotencyOptions = {}): Promise<void> {
    const { tenant } = this;
    await tenant.change(["people.endSession", personId, sessionId, options], function* ({ tx }) {
      const person = yield* findPerson(tenant, tx, personId);
      assertMayAssignRole(tenant, person.role);
      if (!listActiveSessions(person, tenant.now()).some(({ id }) => id === sessionId))
        throw notFound("person_session", sessionId, tenant.organizationId);
      yield* endSession(tenant, tx, person, sessionId);
    });
  }
}

function toPersonLink({ path, person }: LinkedPerson): PersonLink {
  return { path, expiresAt: timestamp(person.linkExpiresAt ?? person.invitedAt) };
}

/**
 * Runs a change that creates a sign-in link for a person, and emails the link after the commit.
 * @param language the email's language, or `null` for the organization's language.
 * @throws {LoyaltyError} `mail_not_configured`, `too_many_pending_deliveries`, `person_mailed_recently`, `rate_limit_exceeded`, or
 *   any error that `work` throws.
 */
async function changeAndMailLink(
  tenant: Tenant,
  request: KeyedRequest,
  language: string | null,
  work: (tx: StorageTransaction) => Step<LinkedPerson>,
): Promise<Person> {
  const { organizationId, engine } = tenant;
  const { mail: mailGateway } = engine.channels;
  const result: { mail: SignInMail | null } = { mail: null };
  const person = await tenant.change(request, function* ({ tx }) {
    const { person: storedPerson, path } = yield* work(tx);
    // Check before the commit so that a person is never added without getting an email.
    if (!mailGateway.hasSignIns) throw createLoyaltyError("mail_not_configured");
    if (!mailGateway.canQueueSignIn(organizationId)) throw createLoyaltyError("too_many_pending_deliveries");
    const mailLanguage = language ?? (yield* tx.findSettings())?.language ?? null;
    const links = [{ organizationId, shop: yield* readShopName(tx, organizationId), path }];
    yield* countInvitation(tenant, tx, storedPerson);
    result.mail = { kind: "invitation", to: storedPerson.email, language: mailLanguage, links };
    return personOf(storedPerson);
  });
  // A replay of an earlier call with the same idempotency key sends no email.
  if (result.mail !== null) mailGateway.sendSignIn(result.mail);
  return person;
}
