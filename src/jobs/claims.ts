import type { Claim } from "../storage/jobs.js";
import type { Clock } from "../values/clock.js";
import type { UuidSource } from "../values/ids.js";

/** A claim holds so long, in milliseconds: longer than any attempt takes. */
export const LEASE_MS = 60_000;

/** Makes a claim to at most so many jobs that are due now. */
export function createClaim(
  { clock, uuid }: { readonly clock: Clock; readonly uuid: UuidSource },
  limit: number,
): Claim {
  const now = clock();
  return { lease: uuid(), now, until: now + LEASE_MS, limit };
}
