import { resolveActor } from "../access/actor-schema.js";
import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError } from "../base/errors.js";
import { hashOfToken } from "../base/secrets/token-format.js";
import { DAY_MS, HOUR_MS, MINUTE_MS, nextUpdatedAt } from "../base/values/clock.js";
import type { AuditedAction } from "../kernel/audit.js";
import type { BackendParts, Tenant } from "../kernel/tenant.js";
import type { StoredPerson, StoredPersonSession } from "../storage/people.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { createPersonToken, parsePersonToken } from "./person-token.js";

const SHORT_SESSION_MS = 12 * HOUR_MS;
const LONG_SESSION_MS = 30 * DAY_MS;

/** Maximum age of a session that may add a passkey, in milliseconds. Stolen sessions are usually older. */
const MAX_RECENT_SIGN_IN_AGE_MS = 15 * MINUTE_MS;

/** Maximum number of sessions per person. Starting another one ends the oldest. */
const MAX_SESSIONS = 20;

/** How old a session's `lastSeenAt` must be before it is written again, in milliseconds. */
const LAST_SEEN_INTERVAL_MS = HOUR_MS;

/** The browser that a person signs in with, and whether to start a long session. */
export interface SignInBrowser {
  /** A readable description of the device, such as `Chrome on Windows`. */
  readonly device: string;
  /** Whether the session lasts 30 days rather than 12 hours. */
  readonly isLong: boolean;
}

interface NewSession extends SignInBrowser {
  readonly id: string;
}

/** A new session: the secret to store in the cookie, and the session's lifetime in seconds. */
export interface SessionStart {
  readonly token: string;
  readonly seconds: number;
}

/**
 * Signs a person in, which invalidates all of their sign-in links.
 * @returns the updated person, and the secret and lifetime of the new session.
 */
export function addSession(
  organizationId: string,
  person: StoredPerson,
  { id, device, isLong }: NewSession,
  now: number,
): { readonly person: StoredPerson; readonly sessionStart: SessionStart } {
  const token = createPersonToken(organizationId, person.id);
  const lifetimeMs = isLong ? LONG_SESSION_MS : SHORT_SESSION_MS;
  const session = {
    ...{ id, hash: hashOfToken(token), device },
    ...{ createdAt: now, lastSeenAt: now, expiresAt: now + lifetimeMs },
  };
  const sessions = [...listActiveSessions(person, now), session].slice(-MAX_SESSIONS);
  // Links created before this time are invalid, including those from the same millisecond.
  const lastSignedInAt = person.lastSignedInAt === null ? now : nextUpdatedAt(person.lastSignedInAt, now);
  const noLink = { linkHash: null, linkExpiresAt: null, isLinkMailed: false };
  const signedInPerson = { ...person, sessions, ...noLink, lastSignedInAt };
  return { person: signedInPerson, sessionStart: { token, seconds: lifetimeMs / 1_000 } };
}

/**
 * Builds the audit entry for a new session.
 * @param sessionId the session's ID. Omit it for a session that was started with an API token.
 */
export function buildSessionStartAct(
  target: string,
  by: "link" | "passkey" | "api_token",
  sessionId?: string,
): AuditedAction {
  return {
    action: "session.started",
    target,
    details: { by, ...(sessionId !== undefined && { sessionId }) },
  };
}

export function listActiveSessions({ sessions }: StoredPerson, now: number): StoredPersonSession[] {
  return sessions.filter(({ expiresAt }) => now < expiresAt);
}

/** Returns the session whose secret has the given hash, or `null` if the person has no such session or it has expired. */
export function findSession(person: StoredPerson, hash: string, now: number): StoredPersonSession | null {
  return listActiveSessions(person, now).find((session) => session.hash === hash) ?? null;
}

/**
 * Checks that a session started recently enough to add a passkey.
 * @throws {LoyaltyError} `recent_sign_in_required` if the session started more than 15 minutes ago, or more than 15 minutes in the
 *   future because the clock was set back.
 */
export function assertRecentSignIn({ createdAt }: StoredPersonSession, now: number): void {
  if (Math.abs(now - createdAt) > MAX_RECENT_SIGN_IN_AGE_MS)
    throw createLoyaltyError("recent_sign_in_required");
}

export function withoutSession(person: StoredPerson, sessionId: string): StoredPerson {
  return { ...person, sessions: person.sessions.filter(({ id }) => id !== sessionId) };
}

/**
 * Returns whether a session's `lastSeenAt` is due for an update. This is also the case if `lastSeenAt` is an hour or more in the
 * future because the clock was set back.
 */
export function isLastSeenStale({ lastSeenAt }: StoredPersonSession, now: number): boolean {
  return Math.abs(now - lastSeenAt) >= LAST_SEEN_INTERVAL_MS;
}

/** Returns the person with a session's `lastSeenAt` updated and expired sessions removed. */
export function withLastSeen(person: StoredPerson, sessionId: string, now: number): StoredPerson {
  const sessions = listActiveSessions(person, now).map((session) =>
    session.id === sessionId ? { ...session, lastSeenAt: now } : session,
  );
  return { ...person, sessions };
}

/** A change that a signed-in person makes to their own account. */
type AccountChange<T> = (
  tx: StorageTransaction,
  tenant: Tenant,
  person: StoredPerson,
  session: StoredPersonSession,
) => Step<T>;

/** Runs reads and changes on staff members' own accounts, which require no scope. */
export class SelfService {
  constructor(private readonly engine: Pick<BackendParts, "storage" | "clock" | "changes" | "openTenant">) {}

  /** Runs a transaction that changes an organization's data. Doesn't require a session, so it can be used during sign-in. */
  change<T>(organizationId: string, work: (tx: StorageTransaction) => Step<T>): Promise<T> {
    return this.engine.changes.run(organizationId, work);
  }

  /**
   * Runs a change for the person who is signed in with the session secret `token`.
   * @returns the result of `work`, or `null` if the session is invalid.
   */
  async changeOwnAccount<T>(token: string, work: AccountChange<T>): Promise<T | null> {
    const parsedToken = parsePersonToken(token);
    if (parsedToken === null) return null;
    const { organizationId, personId, hash } = parsedToken;
    const tenant = this.openTenant(organizationId, personId);
    return this.change(organizationId, function* (tx) {
      const person = yield* tx.findPerson(personId);
      const session = person && findSession(person, hash, tenant.now());
      if (person === null || session === null) return null;
      return yield* work(tx, tenant, person, session);
    });
  }

  /**
   * Reads the account of the person who is signed in with the session secret `token`.
   * @returns the result of `work`, or `null` if the session is invalid.
   */
  async readOwnAccount<T>(
    token: string,
    work: (
      reader: StorageReader,
      organizationId: string,
      person: StoredPerson,
      session: StoredPersonSession,
    ) => Step<T>,
  ): Promise<T | null> {
    const parsedToken = parsePersonToken(token);
    if (parsedToken === null) return null;
    const { organizationId, personId, hash } = parsedToken;
    const now = this.engine.clock();
    return this.engine.storage.snapshot(organizationId, function* (reader) {
      const person = yield* reader.findPerson(personId);
      const session = person && findSession(person, hash, now);
      if (person === null || session === null) return null;
      return yield* work(reader, organizationId, person, session);
    });
  }

  openTenant(organizationId: string, personId: string): Tenant {
    const actor = resolveActor({ kind: "console", id: personId, subject: personId });
    return this.engine.openTenant(organizationId, actor);
  }
}
