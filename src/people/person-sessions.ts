import { createLoyaltyError } from "../errors.js";
import { DAY, HOUR, MINUTE } from "../jobs/retries.js";
import { hashOfToken } from "../secrets/token-format.js";
import type { StoredPerson, StoredPersonSession } from "../storage/people.js";
import type { Act } from "../tenant/audit.js";
import { nextUpdatedAt } from "../values/clock.js";
import { newPersonToken } from "./person-token.js";

const SHORT_MS = 12 * HOUR;
const LONG_MS = 30 * DAY;

/** A session may add a passkey for this long after it began. A stolen session is mostly older. */
const RECENT_MS = 15 * MINUTE;

/** The most sessions of a person; a new one ends the oldest. */
const MOST_SESSIONS = 20;

/** The last use of a session is written once it is so old. */
const SEEN_MS = HOUR;

/** The browser that signs in. */
export interface SignInBrowser {
  /** In words, such as `Chrome on Windows`. */
  readonly device: string;
  /** True for a session of 30 days, false for 12 hours. */
  readonly isLong: boolean;
}

interface NewSession extends SignInBrowser {
  readonly id: string;
}

/** A session that has begun: the secret of its cookie, and how long it lasts. */
export interface SessionStart {
  readonly token: string;
  readonly seconds: number;
}

/** Signs a person in. Their links are used up by it, whichever way they came. */
export function withSession(
  organizationId: string,
  person: StoredPerson,
  { id, device, isLong }: NewSession,
  now: number,
): { readonly person: StoredPerson; readonly begun: SessionStart } {
  const token = newPersonToken(organizationId, person.id);
  const lasts = isLong ? LONG_MS : SHORT_MS;
  const session = {
    ...{ id, hash: hashOfToken(token), device },
    ...{ createdAt: now, lastSeenAt: now, expiresAt: now + lasts },
  };
  const sessions = [...liveSessions(person, now), session].slice(-MOST_SESSIONS);
  // From this time on earlier links are void, including links from the same millisecond.
  const lastSignedInAt = person.lastSignedInAt === null ? now : nextUpdatedAt(person.lastSignedInAt, now);
  const noLink = { linkHash: null, linkExpiresAt: null, isLinkMailed: false };
  const signedIn = { ...person, sessions, ...noLink, lastSignedInAt };
  return { person: signedIn, begun: { token, seconds: lasts / 1_000 } };
}

/**
 * Returns the audit entry for the start of a session.
 * @param sessionId only for sessions of people.
 */
export function buildSessionStartAct(
  target: string,
  by: "link" | "passkey" | "api_token",
  sessionId?: string,
): Act {
  return {
    action: "session.started",
    target,
    details: { by, ...(sessionId !== undefined && { sessionId }) },
  };
}

export function liveSessions({ sessions }: StoredPerson, now: number): StoredPersonSession[] {
  return sessions.filter(({ expiresAt }) => now < expiresAt);
}

/** The session of a secret; `null` if it is none of this person, or over. */
export function findSession(person: StoredPerson, hash: string, now: number): StoredPersonSession | null {
  return liveSessions(person, now).find((session) => session.hash === hash) ?? null;
}

/** @throws {LoyaltyError} `recent_sign_in_required` for a session that began more than 15 minutes ago, or in the future. */
export function assertRecent({ createdAt }: StoredPersonSession, now: number): void {
  if (Math.abs(now - createdAt) > RECENT_MS) throw createLoyaltyError("recent_sign_in_required");
}

export function withoutSession(person: StoredPerson, sessionId: string): StoredPerson {
  return { ...person, sessions: person.sessions.filter(({ id }) => id !== sessionId) };
}

/** Returns whether the last use of a session is to be written, also where the clock was set back since. */
export function isLastSeenStale({ lastSeenAt }: StoredPersonSession, now: number): boolean {
  return Math.abs(now - lastSeenAt) >= SEEN_MS;
}

/** Writes down that a session was used. Those that are over go. */
export function withLastSeen(person: StoredPerson, sessionId: string, now: number): StoredPerson {
  const sessions = liveSessions(person, now).map((session) =>
    session.id === sessionId ? { ...session, lastSeenAt: now } : session,
  );
  return { ...person, sessions };
}
