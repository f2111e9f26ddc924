import type { RateLimiterAbstract } from "rate-limiter-flexible";
import type { RateWindow } from "../http/index.js";

/**
 * Counts requests with a limiter, and tells of the last of them. Its own points and duration don't matter: a penalty is counted without being
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
