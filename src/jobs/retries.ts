const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** By which share of itself a delay may be shorter or longer: jobs that failed together are not tried again together. */
const JITTER = 0.1;

/** The longest wait that the other side may ask for, in milliseconds. */
const LONGEST_WAIT = DAY;

/** A number from 0 to below 1, each as likely as any other. */
export type RandomSource = () => number;

/** The times at which a job is tried again. */
export interface RetrySchedule {
  /** The delay after the first failure, the second, …, in milliseconds. */
  readonly delays: readonly number[];
  /** True if the last delay repeats; otherwise a job that fails after it is given up. */
  readonly isEndless: boolean;
}

/**
 * Returns when to try again: after the schedule's delay, give or take a tenth, or after the wait that the other side asks for,
 * whichever is later. Returns `null` if the job is given up.
 * @param failures counts this failure.
 * @param asked in milliseconds; counts for 24 hours at most.
 */
export function nextAttempt(
  { delays, isEndless }: RetrySchedule,
  failures: number,
  now: number,
  asked: number,
  random: RandomSource,
): number | null {
  const delay = delays[isEndless ? Math.min(failures, delays.length) - 1 : failures - 1];
  if (delay === undefined) return null;
  const spread = delay * (1 - JITTER + 2 * JITTER * random());
  return now + Math.round(Math.max(spread, Math.min(asked, LONGEST_WAIT)));
}
