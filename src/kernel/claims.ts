import type { Clock } from "../base/values/clock.js";
import type { UuidSource } from "../base/values/ids.js";
import type { Claim } from "../storage/jobs.js";

/** How long a claim lasts, in milliseconds. No attempt takes longer than this. */
export const LEASE_MS = 60_000;

/** Creates a claim that starts now, lasts {@link LEASE_MS}, and covers at most `limit` due jobs. */
export function createClaim(
  { clock, uuid }: { readonly clock: Clock; readonly uuid: UuidSource },
  limit: number,
): Claim {
  const now = clock();
  return { lease: uuid(), now, until: now + LEASE_MS, limit };
}
