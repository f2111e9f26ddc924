import { DAY, HOUR, MINUTE, nextAttempt, type RandomSource } from "../jobs/retries.js";
import type { DeliveryStatus, DisabledReason } from "../storage/webhooks.js";

/** The delays after the first failure, the second, …, in milliseconds, as Standard Webhooks suggests. */
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

/** An endpoint that has failed for this long is disabled, in milliseconds. */
const PATIENCE = 5 * DAY;

const GONE = 410;

/** An answer that takes longer comes late, in milliseconds. */
const IN_TIME = 1_000;

/** The part of an attempt that the rules depend on. */
export interface AttemptSummary {
  /** 1 for the first attempt of a delivery. */
  readonly number: number;
  readonly endedAt: number;
  /** In milliseconds. */
  readonly duration: number;
  /** The HTTP status of the answer; `null` if there was none. */
  readonly status: number | null;
  /** The wait that the response asks for, in milliseconds; `null` if it asks for none. */
  readonly retryAfter: number | null;
}

/** The state of a delivery after an attempt. */
export interface NextState {
  readonly status: DeliveryStatus;
  /** `null` unless the delivery stays pending. */
  readonly nextAttemptAt: number | null;
}

/** The state of an endpoint after attempts. */
export interface EndpointHealth {
  readonly failingSince: number | null;
  readonly slowSince: number | null;
  /** Why it is to be disabled; `null` if it is not. */
  readonly disabledReason: DisabledReason | null;
}

/** Any 2xx: a redirect is a failure. */
export function isSuccess({ status }: Pick<AttemptSummary, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** True when an attempt took longer than a good receiver's answer does. */
export function isSlow({ duration }: Pick<AttemptSummary, "duration">): boolean {
  return duration > IN_TIME;
}

/** True if the receiver reported that it is gone: 410. */
export function isGone({ status }: Pick<AttemptSummary, "status">): boolean {
  return status === GONE;
}

/**
 * Schedules the next attempt of a delivery, if any: after its delay, or when the answer's `Retry-After` (RFC 9110, section
 * 10.2.3) says. A delivery fails for good with the tenth attempt, or with a 410.
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
 * Judges an endpoint by its attempts. A 410 disables it immediately, and so does a failure five days or more after the first
 * failure since the last success.
 * @param attempts in the order in which they ended.
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
