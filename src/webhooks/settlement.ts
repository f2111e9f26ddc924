import { laterThan } from "../clock.js";
import type { AttemptOutcome, EndpointToServe, StoredWebhookEndpoint } from "../storage/webhooks.js";
import type { StorageTransaction } from "../storage.js";
import type { SettledAttempt } from "./job.js";
import type { RandomSource } from "./options.js";
import { type Attempted, healthAfter, prospectAfter } from "./schedule.js";

/**
 * Records attempts at one endpoint, and what follows from them for it. Those whose claim has ended count for nothing, and
 * those at a URL that it does not have any more count for nothing but their deliveries.
 * @returns the endpoint when they disabled it.
 */
export async function recordSettled(
  tx: StorageTransaction,
  { organizationId, endpointId }: EndpointToServe,
  settled: readonly SettledAttempt[],
  now: number,
  random: RandomSource,
): Promise<StoredWebhookEndpoint | null> {
  const endpoint = await tx.lockWebhookEndpoint(organizationId, endpointId, true);
  if (endpoint === null) return null;
  const counted: SettledAttempt[] = [];
  for (const [lease, ofLease] of byLease(settled)) {
    const outcomes = ofLease.map((each) => outcomeOf(each, random));
    const recorded = await tx.recordAttempts(organizationId, endpointId, lease, outcomes, now);
    counted.push(
      ...ofLease.filter(({ job }) => recorded.includes(job.deliveryId) && job.url === endpoint.url),
    );
  }
  if (endpoint.disabledAt !== null) return null;
  const attempts = counted.map(attemptedOf).sort((a, b) => a.endedAt - b.endedAt);
  const { failingSince, disabledReason } = healthAfter(endpoint.failingSince, attempts);
  if (disabledReason !== null) {
    const updatedAt = laterThan(endpoint.updatedAt, now);
    const disabled = { ...endpoint, failingSince, disabledReason, disabledAt: now, updatedAt };
    await tx.updateWebhookEndpoint(organizationId, disabled);
    return disabled;
  }
  if (failingSince !== endpoint.failingSince) {
    await tx.updateWebhookEndpoint(organizationId, { ...endpoint, failingSince });
  }
  return null;
}

function byLease(settled: readonly SettledAttempt[]): ReadonlyMap<string, readonly SettledAttempt[]> {
  const leases = new Map<string, SettledAttempt[]>();
  for (const each of settled) {
    const ofLease = leases.get(each.job.lease);
    if (ofLease === undefined) leases.set(each.job.lease, [each]);
    else ofLease.push(each);
  }
  return leases;
}

function outcomeOf(settled: SettledAttempt, random: RandomSource): AttemptOutcome {
  const { deliveryId, attempt: number } = settled.job;
  const { startedAt, duration, status, answer, error } = settled.result;
  return {
    attempt: { deliveryId, number, startedAt, duration, status, answer, error },
    ...prospectAfter(attemptedOf(settled), random),
  };
}

function attemptedOf({
  job,
  result: { startedAt, duration, status, retryAfter },
}: SettledAttempt): Attempted {
  return { number: job.attempt, endedAt: startedAt + duration, status, retryAfter };
}
