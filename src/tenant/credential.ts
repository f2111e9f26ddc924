import type { Step } from "../concurrency/step.js";
import { hashOfKey } from "../secrets/idempotency-seal.js";
import type { StoredGrantToken } from "../storage/apps.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/**
 * A caller's credential. It may end before the caller's row does: when a token gets a new secret, an app revokes its access token,
 * or a person signs out.
 */
export interface Credential {
  /** SHA-256 of the API token or access token. */
  readonly hash: string;
  /** The browser session that holds the API token; `null` if there is none. */
  readonly session: TokenSession | null;
}

/** A browser session that was started with an API token. */
export interface TokenSession {
  /** An unguessable id. */
  readonly id: string;
  /** The start time, in milliseconds since the Unix epoch. */
  readonly begunAt: number;
}

/** How long the early end of a session is stored, in milliseconds: the maximum length of a session. */
export const REMEMBERED_MS = 24 * 3_600_000;

/** Returns the name of the cooldown that ends one session. */
export function nameOfSession(organizationId: string, sessionId: string): string {
  return hashOfKey(organizationId, `ended session ${sessionId}`);
}

/** Returns the name of the cooldown that ends all sessions of a token that began before it was started. */
export function nameOfSessionsOf(organizationId: string, tokenId: string): string {
  return nameOfSession(organizationId, `all sessions of ${tokenId}`);
}

/** Returns whether a session was ended early, either individually or along with all sessions of its token. */
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
 * Returns true within a token's lifetime, measured from its creation in both directions, so that setting the clock back can't
 * extend it.
 */
export function isLive({ createdAt, expiresAt }: StoredGrantToken, now: number): boolean {
  return Math.abs(now - createdAt) < expiresAt - createdAt;
}
