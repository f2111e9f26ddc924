import { DAY, HOUR, MINUTE, nextAttempt, type RandomSource } from "../jobs/retries.js";
import type { DeliveryStatus, DisabledReason } from "../storage/webhooks.js";

/** Delays before each retry, in milliseconds, as suggested by Standard Webhooks. The first entry follows the first failure. */
export const DELAYS: readonly number[] = [
  5_000,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** How long an endpoint may keep failing before it is disabled, in milliseconds. */
const PATIENCE = 5 * DAY;

const GONE = 410;

/** Longest response time that doesn't count as slow, in milliseconds. */
const IN_TIME = 1_000;

/** The facts about an attempt that retries and endpoint health depend on. */
export interface AttemptSummary {
  /** 1 for the first attempt of a delivery. */
  readonly number: number;
  readonly endedAt: number;
  /** Duration in milliseconds. */
  readonly duration: number;
  /** The HTTP status of the response; `null` if there was no response. */
  readonly status: number | null;
  /** The delay that the response's `Retry-After` asks for, in milliseconds; `null` if it has none. */
  readonly retryAfter: number | null;
}

/** The state of a delivery after an attempt. */
export interface NextState {
  readonly status: DeliveryStatus;
  /** The time of the next attempt; `null` unless the delivery stays pending. */
  readonly nextAttemptAt: number | null;
}

/** The health of an endpoint after a series of attempts. */
export interface EndpointHealth {
  readonly failingSince: number | null;
  readonly slowSince: number | null;
  /** Why the endpoint must be disabled; `null` if it stays enabled. */
  readonly disabledReason: DisabledReason | null;
}

/** Returns whether the response status is 2xx. A redirect counts as a failure. */
export function isSuccess({ status }: Pick<AttemptSummary, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Returns whether the attempt took longer than a healthy receiver needs. */
export function isSlow({ duration }: Pick<AttemptSummary, "duration">): boolean {
  return duration > IN_TIME;
}

/** Returns whether the receiver responded with 410 Gone. */
export function isGone({ status }: Pick<AttemptSummary, "status">): boolean {
  return status === GONE;
}

/**
 * Schedules the delivery's next attempt, if any: after its delay, or at the time that the response's `Retry-After` (RFC 9110,
 * section 10.2.3) asks for. A delivery fails permanently on its tenth attempt or on a 410.
 */
export function scheduleAfter(attempt: AttemptSummary, random: RandomSource): NextState {
  if (isSuccess(attempt)) return { status: "delivered", nextAttemptAt: null };
  const { number, endedAt, retryAfter } = attempt;
  const nextAttemptAt = isGone(attempt)
    ? null
    : nextAttempt({ delays: DELAYS, isEndless: false }, number, endedAt, retryAfter ?? 0, random);
  return { status: nextAttemptAt === null ? "failed" : "pending", nextAttemptAt };
}

/**
 * Updates an endpoint's health from its attempts. The endpoint is disabled by a 410, or by a failure five days or more after the
 * first failure since the last success.
 * @param attempts sorted by the time they ended.
 */
export function judgeHealth(
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
    if (attempt.endedAt - failingSince >= PATIENCE) {
      return { failingSince, slowSince, disabledReason: "failing" };
    }
  }
  return { failingSince, slowSince, disabledReason: null };
}
