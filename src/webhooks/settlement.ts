import type { Step } from "../concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { AttemptOutcome, StoredWebhookEndpoint } from "../storage/webhooks.js";
import { laterThan } from "../values/clock.js";
import type { SettledAttempt } from "./job.js";
import type { RandomSource } from "./options.js";
import { type Attempted, healthAfter, isSuccess, prospectAfter } from "./schedule.js";

/**
 * Records attempts at one endpoint, which is locked, and what follows from them for it. Those whose claim has ended
 * count for nothing, and those at a URL that it does not have any more count for nothing but their deliveries, which a
 * 410 from there does not end.
 * @returns the endpoint when they disabled it.
 */
export function* recordSettled(
  tx: StorageTransaction,
  organizationId: string,
  endpoint: StoredWebhookEndpoint,
  settled: readonly SettledAttempt[],
  now: number,
  random: RandomSource,
): Step<StoredWebhookEndpoint | null> {
  const counted: SettledAttempt[] = [];
  for (const [lease, ofLease] of byLease(settled)) {
    const outcomes = ofLease.map((each) => outcomeOf(each, endpoint.url, random));
    const recorded = yield* tx.recordAttempts(organizationId, endpoint.id, lease, outcomes, now);
    counted.push(
      ...ofLease.filter(({ job }) => recorded.includes(job.deliveryId) && job.url === endpoint.url),
    );
  }
  if (endpoint.disabledAt !== null) return null;
  const attempts = counted.map(attemptedOf).sort((a, b) => a.endedAt - b.endedAt);
  const { failingSince, slowSince, disabledReason } = healthAfter(endpoint, attempts);
  if (disabledReason !== null) {
    const updatedAt = laterThan(endpoint.updatedAt, now);
    const lastPosition = yield* tx.newestEventPosition(organizationId);
    const health = { failingSince, slowSince, disabledReason, disabledAt: now, lastPosition };
    const disabled = { ...endpoint, ...health, updatedAt };
    yield* tx.updateWebhookEndpoint(organizationId, disabled);
    return disabled;
  }
  if (failingSince !== endpoint.failingSince || slowSince !== endpoint.slowSince) {
    yield* tx.updateWebhookEndpoint(organizationId, { ...endpoint, failingSince, slowSince });
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

/** @param url of the endpoint now: a failure at another one is an ordinary one, whatever its status says. */
function outcomeOf(settled: SettledAttempt, url: string, random: RandomSource): AttemptOutcome {
  const { deliveryId, attempt: number } = settled.job;
  const { startedAt, duration, status, answer, error } = settled.result;
  const attempted = attemptedOf(settled);
  const isMeant = settled.job.url === url || isSuccess(attempted);
  return {
    attempt: { deliveryId, number, startedAt, duration, status, answer, error },
    ...prospectAfter(isMeant ? attempted : { ...attempted, status: null }, random),
  };
}

function attemptedOf({
  job,
  result: { startedAt, duration, status, retryAfter },
}: SettledAttempt): Attempted {
  return { number: job.attempt, endedAt: startedAt + duration, duration, status, retryAfter };
}
