import type { Claim } from "../storage/jobs.js";
import type { Clock } from "../values/clock.js";
import type { UuidSource } from "../values/ids.js";

/** How long a claim is valid, in milliseconds: longer than any attempt takes. */
export const LEASE_MS = 60_000;

/** Creates a claim for due jobs, up to a limit. */
export function createClaim(
  { clock, uuid }: { readonly clock: Clock; readonly uuid: UuidSource },
  limit: number,
): Claim {
  const now = clock();
  return { lease: uuid(), now, until: now + LEASE_MS, limit };
}
