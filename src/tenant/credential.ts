import type { Step } from "../concurrency/step.js";
import { hashOfKey } from "../secrets/idempotency-seal.js";
import type { StoredGrantToken } from "../storage/apps.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/**
 * A caller's credential. It may end before the caller's row does: a token gets another secret, an app revokes its access token, a
 * person signs out.
 */
export interface Credential {
  /** SHA-256 of the API token or access token. */
  readonly hash: string;
  /** The session of a browser that holds the API token; `null` for none. */
  readonly session: TokenSession | null;
}

/** A session that began by an API token. */
export interface TokenSession {
  /** It can't be guessed. */
  readonly id: string;
  /** In milliseconds since the Unix epoch. */
  readonly begunAt: number;
}

/** How long an early end of a session is remembered, in milliseconds: the maximum length of a session. */
export const REMEMBERED_MS = 24 * 3_600_000;

/** The name of the cooldown that ends one session. */
export function nameOfSession(organizationId: string, sessionId: string): string {
  return hashOfKey(organizationId, `ended session ${sessionId}`);
}

/** The name of the cooldown that ends all sessions of a token that began before it. */
export function nameOfSessionsOf(organizationId: string, tokenId: string): string {
  return nameOfSession(organizationId, `all sessions of ${tokenId}`);
}

/** Returns whether a session was ended early, by itself or together with all sessions of its token. */
export function* hasSessionEnded(
  reader: StorageReader,
  organizationId: string,
  tokenId: string,
  { id, begunAt }: TokenSession,
  now: number,
): Step<boolean> {
  const alone = yield* reader.findCooldown(organizationId, nameOfSession(organizationId, id));
  if (alone !== null && alone.until > now) return true;
  const all = yield* reader.findCooldown(organizationId, nameOfSessionsOf(organizationId, tokenId));
  return all !== null && all.until > now && begunAt <= all.until - REMEMBERED_MS;
}

/**
 * True within a token's lifetime, counted from its creation in both directions: a clock that is set back must not
 * stretch it.
 */
export function isLive({ createdAt, expiresAt }: StoredGrantToken, now: number): boolean {
  return Math.abs(now - createdAt) < expiresAt - createdAt;
}
