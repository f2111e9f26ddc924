import { withTimeout } from "../../../src/concurrency/timeout.js";

/** A request waits so long for its counter at most. */
const MOST_WAIT_MS = 1_000;

/** Gives the result of a count. @throws an Error when it takes longer than a request should wait. */
export function withCountTimeout<T>(count: Promise<T>): Promise<T> {
  return withTimeout(MOST_WAIT_MS, count, `no rate limit was counted in ${MOST_WAIT_MS} ms`);
}
