const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How long to wait after the first failure, the second, …; from then on as long as the last. A delivery is never given up. */
const DELAYS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  60 * MINUTE,
];

/** By which share of itself a delay may be shorter or longer. */
const JITTER = 0.1;

/** What a wallet that asks to wait is given at most. */
const LONGEST_WAIT = 24 * 60 * MINUTE;

/**
 * When to try again.
 * @param attempts how many have failed, this one included.
 * @param asked how long the wallet asks to wait, in milliseconds.
 * @param random from 0 to below 1.
 */
export function nextAttemptAfter(attempts: number, now: number, asked: number, random: number): number {
  const delay = DELAYS[Math.min(attempts, DELAYS.length) - 1] ?? 0;
  const spread = delay * (1 - JITTER + 2 * JITTER * random);
  return now + Math.round(Math.max(spread, Math.min(asked, LONGEST_WAIT)));
}
