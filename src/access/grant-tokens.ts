import type { Step } from "../concurrency/step.js";
import { hashOfToken, newToken } from "../secrets/token-format.js";
import type { GrantTokenKind, StoredGrant, StoredGrantToken } from "../storage/apps.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

const SECOND_MS = 1_000;
const DAY_MS = 86_400 * SECOND_MS;

export const lifetimeMs: Readonly<Record<GrantTokenKind, number>> = {
  code: 60 * SECOND_MS,
  access: 1_800 * SECOND_MS,
  refresh: 30 * DAY_MS,
};

/** A refresh token is accepted again for this long after its first use, since the answer may have been lost on its way. */
const GRACE_MS = 30 * SECOND_MS;

/** How long an expired token stays stored, so that a second use can be distinguished from a guess. */
const KEPT_MS = DAY_MS;

/** Each issue removes at most this many expired tokens: more than it adds, so they can't pile up. */
const REMOVED_AT_ONCE = 10;

/** The details of a code bind it to the request that it was issued for. */
export interface CodeDetails {
  /** `null` if the request left it out, because the app has only one. */
  readonly redirectUri: string | null;
  readonly codeChallenge: string;
}

export interface TokenMaker {
  readonly now: number;
  newId(prefix: "gtk"): string;
}

/** Creates a token that does not outlive its grant, and the row that is stored for it. */
export function createGrantToken(
  { now, newId }: TokenMaker,
  kind: GrantTokenKind,
  grant: Pick<StoredGrant, "id" | "expiresAt">,
  scopes: readonly string[],
  details = "{}",
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

/** True soon after the first use. The clocks of two processes may differ a little, in both directions. */
export function isInGracePeriod(usedAt: number, now: number): boolean {
  return Math.abs(now - usedAt) < GRACE_MS;
}

/** Removes some expired tokens, and the grants that have no others. */
export function* removeOldTokens(tx: StorageTransaction, organizationId: string, now: number): Step<void> {
  yield* tx.removeGrantTokens(organizationId, now - KEPT_MS, REMOVED_AT_ONCE);
}
