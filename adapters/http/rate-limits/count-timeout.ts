import { withTimeout } from "../../../src/concurrency/timeout.js";

/** The longest time that a request waits for its counter. */
const MOST_WAIT_MS = 1_000;

/** Returns the result of a count. @throws an Error when it takes longer than a request should wait. */
export function withCountTimeout<T>(count: Promise<T>): Promise<T> {
  return withTimeout(MOST_WAIT_MS, count, `no rate limit was counted in ${MOST_WAIT_MS} ms`);
}
