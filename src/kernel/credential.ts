import type { Step } from "../base/concurrency/step.js";
import { hashOfKey } from "../base/secrets/idempotency-seal.js";
import type { StoredGrantToken } from "../storage/apps.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/**
 * A caller's credential. It can become invalid while the caller's row still exists, for example when a token's secret is rotated,
 * when an app revokes its access token, or when a person signs out.
 */
export interface Credential {
  /** SHA-256 of the API token or access token, as 64 lowercase hexadecimal digits. */
  readonly hash: string;
  /** The browser session that uses the API token, or `null` if there is none. */
  readonly session: TokenSession | null;
}

/** A browser session that was started with an API token. */
export interface TokenSession {
  /** The session's unguessable ID. */
  readonly id: string;
  /** When the session started, in milliseconds since the Unix epoch. */
  readonly begunAt: number;
}

/** How long the service remembers sessions that were ended early, in milliseconds. This is also the maximum session length. */
export const REMEMBERED_MS = 24 * 3_600_000;

/** Returns the name of the cooldown that marks a session as ended. */
export function nameOfSession(organizationId: string, sessionId: string): string {
  return hashOfKey(organizationId, `ended session ${sessionId}`);
}

/**
 * Returns the name of the cooldown that ends all of a token's sessions. Only sessions that began before the cooldown are
 * ended.
 */
export function nameOfSessionsOf(organizationId: string, tokenId: string): string {
  return nameOfSession(organizationId, `all sessions of ${tokenId}`);
}

/** Returns whether a session was ended early, either on its own or together with all of the token's other sessions. */
export function* hasSessionEnded(
  reader: StorageReader,
  organizationId: string,
  tokenId: string,
  { id, begunAt }: TokenSession,
  now: number,
): Step<boolean> {
  const cooldown = yield* reader.findCooldown(nameOfSession(organizationId, id));
  if (cooldown !== null && cooldown.until > now) return true;
  const all = yield* reader.findCooldown(nameOfSessionsOf(organizationId, tokenId));
  return all !== null && all.until > now && begunAt <= all.until - REMEMBERED_MS;
}

/**
 * Returns whether a token is within its lifetime. A token whose creation time is a full lifetime or more in the future isn't live
 * either, so setting the clock back can't extend a lifetime indefinitely.
 */
export function isLive({ createdAt, expiresAt }: StoredGrantToken, now: number): boolean {
  return Math.abs(now - createdAt) < expiresAt - createdAt;
}
