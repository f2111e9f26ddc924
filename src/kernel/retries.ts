import { DAY_MS } from "../base/values/clock.js";

/** Maximum random deviation of a delay, as a fraction of it, so that jobs that failed together are not retried together. */
const JITTER = 0.1;

/** Maximum wait that the other side may request, in milliseconds. */
const MAX_REQUESTED_DELAY_MS = DAY_MS;

/** Returns a uniformly distributed random number from 0 (inclusive) to 1 (exclusive). */
export type RandomSource = () => number;

/** The delays between retries of a failed job. */
export interface RetrySchedule {
  /** The delays after the first failure, the second failure, and so on, in milliseconds. */
  readonly delays: readonly number[];
  /** Whether the last delay repeats indefinitely. If `false`, a job that fails again after the last delay is abandoned. */
  readonly isEndless: boolean;
}

/** An attempt of a job that has just failed. */
export interface FailedAttempt {
  /** The number of failures so far, including this one. */
  readonly failures: number;
  readonly now: number;
  /**
   * The delay that the receiving server requested, in milliseconds. Values above 24 hours are treated as 24 hours. Default: 0.
   */
  readonly requestedDelayMs?: number;
}

/**
 * Returns the time of the next attempt, or `null` if the job is abandoned. The wait before the next attempt is the schedule's delay
 * (plus or minus 10%) or the delay that the receiving server requested, whichever is longer.
 */
export function computeNextAttemptAt(
  { delays, isEndless }: RetrySchedule,
  { failures, now, requestedDelayMs = 0 }: FailedAttempt,
  random: RandomSource,
): number | null {
  const delay = delays[isEndless ? Math.min(failures, delays.length) - 1 : failures - 1];
  if (delay === undefined) return null;
  const jitteredDelay = delay * (1 - JITTER + 2 * JITTER * random());
  return now + Math.round(Math.max(jitteredDelay, Math.min(requestedDelayMs, MAX_REQUESTED_DELAY_MS)));
}
