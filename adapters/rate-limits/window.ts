import type { RateLimiterAbstract } from "rate-limiter-flexible";
import { resultWithin } from "../../src/concurrency/within.js";
import type { RateWindow } from "../http/index.js";

/** A request waits so long for its counter at most. */
const MOST_WAIT_MS = 1_000;

/** Gives the result of a count. @throws an Error when it takes longer than a request should wait. */
export function inTime<T>(count: Promise<T>): Promise<T> {
  return resultWithin(MOST_WAIT_MS, count, `no rate limit was counted in ${MOST_WAIT_MS} ms`);
}

/**
 * Counts requests with a limiter, and gives the window of the last of them. Its own points and duration don't matter: a penalty is counted without being
 * compared with them, so one limiter does for every quota.
 */
export async function windowIn(
  limiter: RateLimiterAbstract,
  key: string,
  seconds: number,
  requests = 1,
): Promise<RateWindow> {
  const { consumedPoints, msBeforeNext } = await limiter.penalty(key, requests, { customDuration: seconds });
  if (msBeforeNext <= 2 * seconds * 1_000) return { requests: consumedPoints, msLeft: msBeforeNext };
  // It was begun by a clock that is far ahead, and would last as long as that is ahead.
  await limiter.set(key, requests, seconds);
  return { requests, msLeft: seconds * 1_000 };
}
