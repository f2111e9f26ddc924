import type { Step } from "../base/concurrency/step.js";
import { hashOfToken, newToken } from "../base/secrets/token-format.js";
import { DAY_MS, SECOND_MS } from "../base/values/clock.js";
import type { GrantTokenKind, StoredGrant, StoredGrantToken } from "../storage/apps.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

export const lifetimeMs: Readonly<Record<GrantTokenKind, number>> = {
  code: 60 * SECOND_MS,
  access: 1_800 * SECOND_MS,
  refresh: 30 * DAY_MS,
};

/**
 * Grace period after a refresh token's first use, in milliseconds. The token is accepted again within it, because the response may
 * have been lost.
 */
const GRACE_PERIOD_MS = 30 * SECOND_MS;

/** How long an expired token stays in storage, in milliseconds, so that a second use can be distinguished from a guess. */
const RETENTION_MS = DAY_MS;

/**
 * Maximum number of expired tokens removed each time tokens are issued. It is more than are added, so expired tokens can't pile up.
 */
const MAX_REMOVED_TOKENS = 10;

/** Details that bind an authorization code to the request it was issued for. */
export interface CodeDetails {
  /** The redirect URI in the request, or `null` if the request omitted it because the app has only one redirect URI. */
  readonly redirectUri: string | null;
  readonly codeChallenge: string;
}

/** The kind, scopes, and details of a new token. */
interface NewGrantToken extends Pick<StoredGrantToken, "kind" | "scopes"> {
  /** The details of the request that the token was issued for, as JSON. Default: none. */
  readonly details?: string;
}

export interface TokenIssuer {
  readonly now: number;
  newId(prefix: "gtk"): string;
}

/**
 * Creates a token that expires no later than its grant.
 * @returns the token and the row to store for it.
 */
export function createGrantToken(
  { now, newId }: TokenIssuer,
  grant: Pick<StoredGrant, "id" | "expiresAt">,
  { kind, scopes, details = "{}" }: NewGrantToken,
): { readonly token: string; readonly stored: StoredGrantToken } {
  const token = newToken(kind);
  return {
    token,
    stored: {
      id: newId("gtk"),
      grantId: grant.id,
      kind,
      hash: hashOfToken(token),
      scopes,
      details,
      createdAt: now,
      expiresAt: Math.min(now + lifetimeMs[kind], grant.expiresAt ?? Number.POSITIVE_INFINITY),
      usedAt: null,
    },
  };
}

/**
 * Returns whether a refresh token was first used less than 30 seconds ago. A first use up to 30 seconds in the future also counts,
 * because clocks can differ between processes.
 */
export function isInGracePeriod(usedAt: number, now: number): boolean {
  return Math.abs(now - usedAt) < GRACE_PERIOD_MS;
}

/** Deletes a limited number of expired tokens, and any grants that have no tokens left. */
export function* removeExpiredTokens(tx: StorageTransaction, now: number): Step<void> {
  yield* tx.removeGrantTokens(now - RETENTION_MS, MAX_REMOVED_TOKENS);
}
