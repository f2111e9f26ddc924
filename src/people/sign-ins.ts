import { TokenCache } from "../access/token-verifier.js";
import { Semaphore } from "../base/concurrency/fair-semaphore.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import { UsageCounter } from "../base/concurrency/usage-counter.js";
import type { Role } from "../base/scopes.js";
import { foldEmail } from "../base/values/email.js";
import { isStorable } from "../base/values/text.js";
import { recordAuditEntry } from "../kernel/audit.js";
import type { ErrorListener } from "../kernel/events/event-emitter.js";
import type { SignInLink } from "../kernel/mail-gateway.js";
import type { BackendParts } from "../kernel/tenant.js";
import { ALL_ORGANIZATIONS } from "../storage/cooldowns.js";
import type { OwnedPerson } from "../storage/people.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { countExtraSignIn, countSignIn } from "./mail-counts.js";
import { Passkeys } from "./passkeys.js";
import { createRequestedLink, hasMailedLink, isValidLink, readShopName } from "./person-links.js";
import {
  addSession,
  buildSessionStartAct,
  findSession,
  isLastSeenStale,
  listActiveSessions,
  SelfService,
  type SessionStart,
  type SignInBrowser,
  withLastSeen,
  withoutSession,
} from "./person-sessions.js";
import { parsePersonToken } from "./person-token.js";
import { endAllSessions, endSession } from "./person-writes.js";
import {
  type Passkey,
  type Person,
  type PersonSession,
  passkeyOf,
  personOf,
  personSessionOf,
} from "./schema.js";

/** Maximum number of organizations whose links are sent in one email. */
const MAX_ORGANIZATIONS_PER_EMAIL = 10;

/**
 * Maximum number of links per organization that can wait to be created while the organization is busy. Further links are dropped.
 */
const MAX_LINKS_IN_PROGRESS = 10;

/** Maximum number of concurrent writes of `lastSeenAt`. Each may hold a connection while it waits for its organization. */
const MAX_CONCURRENT_LAST_SEEN_WRITES = 1;

/** A signed-in staff member, with their current role. */
export interface SignedInPerson {
  readonly organizationId: string;
  readonly id: string;
  readonly name: string | null;
  readonly email: string;
  readonly role: Role;
  /** Whether the person has signed in with a link that was mailed to their email, and so has proven that it is theirs. */
  readonly isEmailProven: boolean;
  readonly sessionId: string;
}

/** The email address that a valid sign-in link is for, and the organization it signs in to. */
export interface SignInLinkHolder {
  readonly email: string;
  /** The organization's name, its ID if the name isn't suitable for display, or `null` if neither is suitable. */
  readonly shop: string | null;
}

/** A staff member's account, with their sessions and passkeys. */
export interface StaffAccount {
  readonly person: Person;
  readonly sessions: readonly (PersonSession & { readonly isCurrent: boolean })[];
  /** The person's passkeys, oldest first. */
  readonly passkeys: readonly Passkey[];
}

/**
 * Signs staff members in and out. Every request is checked against storage, so a person who is removed or signed out loses access
 * in all processes on their next request.
 */
export class SignIns {
  /** Manages the passkeys that staff members sign in with. */
  readonly passkeys: Passkeys;
  private readonly selfService: SelfService;
  private readonly personCache: TokenCache<OwnedPerson>;
  private readonly updatingSessions = new Set<string>();
  /** Number of links being created, keyed by organization ID. */
  private readonly linksInProgress = new UsageCounter();
  private readonly lastSeenWrites = new Semaphore(MAX_CONCURRENT_LAST_SEEN_WRITES);

  constructor(
    private readonly engine: Pick<BackendParts, "storage" | "clock" | "changes" | "channels" | "openTenant">,
    private readonly onError: ErrorListener,
  ) {
    this.selfService = new SelfService(engine);
    this.passkeys = new Passkeys(engine, this.selfService);
    this.personCache = new TokenCache(engine.storage);
  }

  get canMailLinks(): boolean {
    return this.engine.channels.mail.hasSignIns;
  }

  /** Returns whether any organization has staff accounts. */
  hasPeople(): Promise<boolean> {
    return runStep(this.engine.storage.all.hasPeople());
  }

  /**
   * Emails sign-in links that are valid for 15 minutes if the address belongs to staff in any organization. Does nothing for other
   * addresses. Send the response before you await this method. Known addresses take longer, so the response time would otherwise
   * reveal whether an address is known.
   */
  async mailLinks(email: string, language: string | null): Promise<void> {
    if (!this.canMailLinks || !isStorable(email)) return;
    const {
      storage,
      channels: { mail },
    } = this.engine;
    const emailFold = foldEmail(email);
    const people = await runStep(storage.all.peopleByEmail(emailFold, MAX_ORGANIZATIONS_PER_EMAIL));
    const [first] = people;
    if (first === undefined) return;
    const isOverLimit = !(await this.countAcrossOrganizations((tx) =>
      countSignIn(tx, emailFold, this.engine.clock()),
    ));
    // Another organization that has the same address can invalidate its own links. It must not lock out the person who has proven
    // that the address is theirs.
    const isProven = people.some(({ person }) => person.emailProvenAt !== null);
    const linkablePeople =
      isOverLimit && isProven ? people.filter(({ person }) => person.emailProvenAt !== null) : people;
    const createdLinks = await Promise.all(
      linkablePeople.map(({ organizationId, person }) =>
        this.tryCreateLink(organizationId, person.id, isOverLimit),
      ),
    );
    const links = createdLinks.filter((link) => link !== null);
    if (links.length === 0) return;
    if (
      isOverLimit &&
      !(await this.countAcrossOrganizations((tx) => countExtraSignIn(tx, emailFold, this.engine.clock())))
    )
      return;
    mail.sendSignIn({ kind: "sign_in", to: first.person.email, language, links });
  }

  /**
   * Returns the person that a link is for, or `null` if the link is unknown, used, replaced, or expired. Opening a link doesn't
   * invalidate it.
   */
  async findLinkHolder(token: string): Promise<SignInLinkHolder | null> {
    const parsedToken = parsePersonToken(token);
    if (parsedToken === null) return null;
    const { organizationId, personId, hash } = parsedToken;
    const now = this.engine.clock();
    return this.engine.storage.snapshot(organizationId, function* (reader) {
      const person = yield* reader.findPerson(personId);
      if (person === null) return null;
      if (!(yield* isValidLink(reader, { organizationId, person }, hash, now))) return null;
      return { email: person.email, shop: yield* readShopName(reader, organizationId) };
    });
  }

  /**
   * Starts a session with a sign-in link, which can't be used again afterward. If two calls use the same link, only one of them
   * starts a session.
   * @returns the new session, or `null` if the link is unknown, used, replaced, or expired.
   */
  async startSession(token: string, browser: SignInBrowser): Promise<SessionStart | null> {
    const parsedToken = parsePersonToken(token);
    if (parsedToken === null) return null;
    const { organizationId, personId, hash, isMailed } = parsedToken;
    const tenant = this.selfService.openTenant(organizationId, personId);
    return this.selfService.change(organizationId, function* (tx) {
      const now = tenant.now();
      const person = yield* tx.findPerson(personId);
      if (person === null || !(yield* isValidLink(tx, { organizationId, person }, hash, now))) return null;
      const session = { ...browser, id: tenant.newId("pse") };
      const provenPerson = isMailed ? { ...person, emailProvenAt: now } : person;
      const { person: signedInPerson, sessionStart } = addSession(organizationId, provenPerson, session, now);
      yield* tx.updatePerson(signedInPerson);
      yield* recordAuditEntry(tx, tenant, buildSessionStartAct(person.id, "link", session.id));
      return sessionStart;
    });
  }

  /** Records in the audit trail that a session was started with an API token. */
  async recordTokenSession(organizationId: string, tokenId: string): Promise<void> {
    const tenant = this.selfService.openTenant(organizationId, tokenId);
    await this.selfService.change(organizationId, (tx) =>
      recordAuditEntry(tx, tenant, buildSessionStartAct(tokenId, "api_token")),
    );
  }

  /** Returns the person who is signed in with the session secret `token`, or `null` if the session is invalid. */
  async findSignedInPerson(token: string): Promise<SignedInPerson | null> {
    const signIn = await this.findSignIn(token);
    if (signIn === null) return null;
    const { organizationId, person, session } = signIn;
    if (isLastSeenStale(session, this.engine.clock())) this.recordUse(organizationId, person.id, session.id);
    const { id, name, email, role, emailProvenAt } = person;
    const isEmailProven = emailProvenAt !== null;
    return { organizationId, id, name, email, role, isEmailProven, sessionId: session.id };
  }

  /** Returns the account of the person who is signed in with the session secret `token`, or `null` if the session is invalid. */
  async findAccount(token: string): Promise<StaffAccount | null> {
    const signIn = await this.findSignIn(token);
    if (signIn === null) return null;
    const { person, session } = signIn;
    const sessions = listActiveSessions(person, this.engine.clock()).map((each) => ({
      ...personSessionOf(each),
      isCurrent: each.id === session.id,
    }));
    return { person: personOf(person), sessions, passkeys: person.passkeys.map(passkeyOf) };
  }

  /**
   * Ends the session whose secret is `token`. If `sessionId` is set, ends that session of the same person instead.
   * @returns `true` if a session was ended, or `false` if there is no such session.
   */
  async end(token: string, sessionId: string | null = null): Promise<boolean> {
    const isEnded = await this.selfService.changeOwnAccount(token, function* (tx, tenant, person, current) {
      const endedId = sessionId ?? current.id;
      if (!person.sessions.some(({ id }) => id === endedId)) return false;
      // The audit trail records when other sessions are ended, but not sign-outs.
      if (sessionId === null) yield* tx.updatePerson(withoutSession(person, current.id));
      else yield* endSession(tenant, tx, person, sessionId);
      return true;
    });
    return isEnded ?? false;
  }

  /**
   * Ends all sessions of the person who is signed in with the session secret `token`, and removes their passkeys.
   * @returns `false` if the session is invalid.
   */
  async endAll(token: string): Promise<boolean> {
    const isEnded = await this.selfService.changeOwnAccount(token, function* (tx, tenant, person) {
      yield* endAllSessions(tenant, tx, person);
      return true;
    });
    return isEnded ?? false;
  }

  private countAcrossOrganizations(count: (tx: StorageTransaction) => Step<boolean>): Promise<boolean> {
    return this.selfService.change(ALL_ORGANIZATIONS, count);
  }

  private async findSignIn(token: string) {
    const parsedToken = parsePersonToken(token);
    if (parsedToken === null) return null;
    const { organizationId, personId, hash } = parsedToken;
    const ownedPerson =
      this.personCache.get(hash) ??
      (await this.personCache.find(hash, async () => {
        const person = await runStep(this.engine.storage.reader(organizationId).findPerson(personId));
        // Don't cache invalid secrets, because there is no limit to their number.
        return person === null || findSession(person, hash, this.engine.clock()) === null
          ? null
          : { organizationId, person };
      }));
    const session = ownedPerson && findSession(ownedPerson.person, hash, this.engine.clock());
    return ownedPerson === null || session === null ? null : { ...ownedPerson, session };
  }

  /**
   * Creates a sign-in link. Returns `null` if no email may be sent, if creating the link failed, or if too many links for the
   * organization are already waiting.
   */
  private async tryCreateLink(
    organizationId: string,
    personId: string,
    isOverLimit: boolean,
  ): Promise<SignInLink | null> {
    const inProgress = this.linksInProgress.get(organizationId);
    if (inProgress >= MAX_LINKS_IN_PROGRESS || !this.engine.channels.mail.canQueueSignIn(organizationId))
      return null;
    this.linksInProgress.add(organizationId);
    try {
      return await this.selfService.change(organizationId, (tx) =>
        this.createLink(tx, organizationId, personId, isOverLimit),
      );
    } catch (error) {
      // Links from other organizations must still be sent.
      this.onError(error);
      return null;
    } finally {
      this.linksInProgress.add(organizationId, -1);
    }
  }

  /**
   * Creates a sign-in link. Returns `null` if the address has reached its email limit and its newest link is still valid.
   * Requesting emails for another person therefore can't lock them out, because they always have a link or get one.
   * @param isOverLimit true if the address has reached its regular email limit.
   */
  private *createLink(
    tx: StorageTransaction,
    organizationId: string,
    personId: string,
    isOverLimit: boolean,
  ): Step<SignInLink | null> {
    const now = this.engine.clock();
    const person = yield* tx.findPerson(personId);
    if (person === null) return null;
    if (isOverLimit && hasMailedLink(person, now)) return null;
    const linkedPerson = yield* createRequestedLink(tx, organizationId, person, now);
    yield* tx.updatePerson(linkedPerson.person);
    return { organizationId, shop: yield* readShopName(tx, organizationId), path: linkedPerson.path };
  }

  /**
   * Records that a session was used, without blocking the caller. Does nothing while a write for the same session is still running.
   */
  private recordUse(organizationId: string, personId: string, sessionId: string): void {
    if (this.updatingSessions.has(sessionId)) return;
    this.updatingSessions.add(sessionId);
    const now = this.engine.clock();
    this.lastSeenWrites
      .run(() =>
        this.selfService.change(organizationId, function* (tx) {
          const person = yield* tx.findPerson(personId);
          // Another process may have recorded the use or ended the session.
          if (person?.sessions.some((session) => session.id === sessionId && isLastSeenStale(session, now)))
            yield* tx.updatePerson(withLastSeen(person, sessionId, now));
        }),
      )
      .catch(this.onError)
      .finally(() => this.updatingSessions.delete(sessionId));
  }
}
