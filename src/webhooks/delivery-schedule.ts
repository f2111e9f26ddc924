import { DAY_MS, HOUR_MS, MINUTE_MS } from "../base/values/clock.js";
import { computeNextAttemptAt, type RandomSource } from "../kernel/retries.js";
import type { DeliveryStatus, DisabledReason } from "../storage/webhooks.js";

/**
 * The delay before each retry, in milliseconds, as suggested by Standard Webhooks. The first entry is the delay after the first
 * failed attempt.
 */
export const RETRY_DELAYS_MS: readonly number[] = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** After the last of the delays, a delivery is abandoned. */
const retryPolicy = { delays: RETRY_DELAYS_MS, isEndless: false };

/** How long an endpoint may keep failing before it is disabled, in milliseconds. */
const MAX_FAILING_MS = 5 * DAY_MS;

const HTTP_GONE = 410;

/** Longest response time that doesn't count as slow, in milliseconds. */
const SLOW_THRESHOLD_MS = 1_000;

/** The properties of an attempt that determine when to retry and whether the endpoint is healthy. */
export interface AttemptSummary {
  /** The attempt's number within its delivery, starting at 1. */
  readonly number: number;
  readonly endedAt: number;
  /** The attempt's duration in milliseconds. */
  readonly duration: number;
  /** The HTTP status of the response, or `null` if there was no response. */
  readonly status: number | null;
  /** The delay requested by the response's `Retry-After` header, in milliseconds, or `null` if there is no such header. */
  readonly retryAfter: number | null;
}

/** A delivery's status after an attempt, and when to try again. */
export interface NextState {
  readonly status: DeliveryStatus;
  /** When the next attempt is due, in milliseconds since the Unix epoch. `null` unless the delivery is still pending. */
  readonly nextAttemptAt: number | null;
}

/** An endpoint's health after a series of attempts. */
export interface EndpointHealth {
  readonly failingSince: number | null;
  readonly slowSince: number | null;
  /** The reason to disable the endpoint, or `null` if the endpoint can stay enabled. */
  readonly disabledReason: DisabledReason | null;
}

/** Returns whether the response has a 2xx status. Redirects count as failures. */
export function isSuccess({ status }: Pick<AttemptSummary, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Returns whether the attempt took longer than one second. */
export function isSlow({ duration }: Pick<AttemptSummary, "duration">): boolean {
  return duration > SLOW_THRESHOLD_MS;
}

/** Returns whether the receiver responded with 410 Gone, which means that it doesn't want further events. */
export function isGone({ status }: Pick<AttemptSummary, "status">): boolean {
  return status === HTTP_GONE;
}

/**
 * Returns a delivery's status after an attempt and when to retry. The delay is the scheduled one or the one in the response's
 * `Retry-After` header (RFC 9110, section 10.2.3), whichever is longer. A delivery fails permanently on its tenth failed attempt or
 * on a 410.
 */
export function scheduleNextAttempt(attempt: AttemptSummary, random: RandomSource): NextState {
  if (isSuccess(attempt)) return { status: "delivered", nextAttemptAt: null };
  const { number, endedAt, retryAfter } = attempt;
  const nextAttemptAt = isGone(attempt)
    ? null
    : computeNextAttemptAt(
        retryPolicy,
        { failures: number, now: endedAt, requestedDelayMs: retryAfter ?? 0 },
        random,
      );
  return { status: nextAttemptAt === null ? "failed" : "pending", nextAttemptAt };
}

/**
 * Returns an endpoint's health after the given attempts. The endpoint must be disabled after a 410, or once it has been failing for
 * five days.
 * @param attempts the attempts to apply, sorted by end time.
 */
export function evaluateHealth(
  before: Pick<EndpointHealth, "failingSince" | "slowSince">,
  attempts: readonly AttemptSummary[],
): EndpointHealth {
  let { failingSince, slowSince } = before;
  for (const attempt of attempts) {
    slowSince = isSlow(attempt) ? (slowSince ?? attempt.endedAt) : null;
    if (isSuccess(attempt)) {
      failingSince = null;
      continue;
    }
    failingSince ??= attempt.endedAt;
    if (isGone(attempt)) return { failingSince, slowSince, disabledReason: "gone" };
    if (attempt.endedAt - failingSince >= MAX_FAILING_MS) {
      return { failingSince, slowSince, disabledReason: "failing" };
    }
  }
  return { failingSince, slowSince, disabledReason: null };
}
