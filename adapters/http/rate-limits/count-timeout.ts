import { withTimeout } from "../../../src/concurrency/timeout.js";

/** Maximum time that a request waits for its counter, in milliseconds. */
const MOST_WAIT_MS = 1_000;

/**
 * Returns the result of a count.
 * @throws an Error if the count takes longer than a request may wait.
 */
export function withCountTimeout<T>(count: Promise<T>): Promise<T> {
  return withTimeout(MOST_WAIT_MS, count, `no rate limit was counted in ${MOST_WAIT_MS} ms`);
}
