import { withTimeout } from "../../../src/base/concurrency/timeout.js";

/** Maximum time that a request waits for its counter, in milliseconds. */
const MOST_WAIT_MS = 1_000;

/**
 * Waits for a request to be counted.
 * @throws an Error if counting takes longer than one second.
 */
export function withCountTimeout<T>(count: Promise<T>): Promise<T> {
  return withTimeout(MOST_WAIT_MS, count, `no rate limit was counted in ${MOST_WAIT_MS} ms`);
}
