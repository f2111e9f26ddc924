import type { Step } from "../base/concurrency/step.js";
import { nextUpdatedAt } from "../base/values/clock.js";
import type { RandomSource } from "../kernel/retries.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { AttemptOutcome, StoredAttempt, StoredWebhookEndpoint } from "../storage/webhooks.js";
import { type AttemptSummary, isSuccess, judgeHealth, scheduleAfter } from "./delivery-schedule.js";

/** A claimed delivery that a worker must attempt. */
export interface DeliveryJob {
  readonly organizationId: string;
  readonly endpointId: string;
  /** The ID of the claim that includes this job. */
  readonly lease: string;
  readonly deliveryId: string;
  readonly eventId: string;
  /** The attempt's number within the delivery, starting at 1. */
  readonly attempt: number;
  readonly url: string;
  /** The request body, to be sent byte for byte. */
  readonly body: string;
  /** The secrets for signing the request, newest first. */
  readonly secrets: readonly string[];
}

export interface AttemptResult extends Omit<StoredAttempt, "deliveryId" | "number"> {
  /** The delay requested by the response's `Retry-After` header, in milliseconds, or `null` if there is no such header. */
  readonly retryAfter: number | null;
}

export interface FinishedAttempt {
  readonly job: DeliveryJob;
  readonly result: AttemptResult;
}

/**
 * Records attempts for a locked endpoint, and updates its deliveries and health. Ignores attempts whose deliveries have since been
 * claimed again. If the endpoint's URL has changed since an attempt, the attempt doesn't affect the endpoint's health, and a 410 is
 * retried like any other failure.
 * @returns the endpoint if these attempts caused it to be disabled, or `null` otherwise.
 */
export function* recordAttempts(
  tx: StorageTransaction,
  endpoint: StoredWebhookEndpoint,
  settled: readonly FinishedAttempt[],
  { now, random }: { readonly now: number; readonly random: RandomSource },
): Step<StoredWebhookEndpoint | null> {
  const counted: FinishedAttempt[] = [];
  for (const lease of new Set(settled.map(({ job }) => job.lease))) {
    const ofLease = settled.filter(({ job }) => job.lease === lease);
    const outcomes = ofLease.map((each) => buildOutcome(each, endpoint.url, random));
    const recorded = yield* tx.recordAttempts(endpoint.id, lease, outcomes, now);
    counted.push(
      ...ofLease.filter(({ job }) => recorded.includes(job.deliveryId) && job.url === endpoint.url),
    );
  }
  if (endpoint.disabledAt !== null) return null;
  const attempts = counted.map(toAttemptSummary).sort((a, b) => a.endedAt - b.endedAt);
  const { failingSince, slowSince, disabledReason } = judgeHealth(endpoint, attempts);
  if (disabledReason !== null) {
    const updatedAt = nextUpdatedAt(endpoint.updatedAt, now);
    const lastPosition = yield* tx.newestEventPosition();
    const health = { failingSince, slowSince, disabledReason, disabledAt: now, lastPosition };
    const disabled = { ...endpoint, ...health, updatedAt };
    yield* tx.updateWebhookEndpoint(disabled);
    return disabled;
  }
  if (failingSince !== endpoint.failingSince || slowSince !== endpoint.slowSince) {
    yield* tx.updateWebhookEndpoint({ ...endpoint, failingSince, slowSince });
  }
  return null;
}

/**
 * Builds an attempt's outcome.
 * @param url the endpoint's current URL. A failure at any other URL is retried like an ordinary one, whatever its status.
 */
function buildOutcome(settled: FinishedAttempt, url: string, random: RandomSource): AttemptOutcome {
  const { deliveryId, attempt: number } = settled.job;
  const { startedAt, duration, status, response, error } = settled.result;
  const attempted = toAttemptSummary(settled);
  const isMeant = settled.job.url === url || isSuccess(attempted);
  return {
    attempt: { deliveryId, number, startedAt, duration, status, response, error },
    ...scheduleAfter(isMeant ? attempted : { ...attempted, status: null }, random),
  };
}

function toAttemptSummary({
  job,
  result: { startedAt, duration, status, retryAfter },
}: FinishedAttempt): AttemptSummary {
  return { number: job.attempt, endedAt: startedAt + duration, duration, status, retryAfter };
}
