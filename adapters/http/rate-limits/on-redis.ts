import { type RateLimiterAbstract, RateLimiterRedis } from "rate-limiter-flexible";
import { withCountTimeout } from "./count-timeout.js";
import type { RateLimitStore, RateWindow } from "./store.js";

/** The part of a client that is used: of the package `redis` (4 or later) or `ioredis`. */
export interface RedisClient {
  eval(script: string, ...rest: never[]): Promise<unknown>;
}

/**
 * Counts the requests of tokens in Redis, for all processes that use it together, under keys that begin with
 * `loyalty_rate_limits:`.
 *
 * Windows begin and end by the clock of Redis. While the client is not connected nothing is counted; else a request
 * waits for its counter one second at most.
 * @param client connected by the host. It stays the host's.
 * @example
 * import { apiTokens, createHttpApi, redisRateLimits } from "loyalty-kit/http";
 * import { createClient } from "redis";
 *
 * const store = redisRateLimits(await createClient({ url: "redis://localhost" }).connect());
 * const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), rateLimits: { store } });
 */
export function redisRateLimits(client: RedisClient): RateLimitStore {
  const limiter = new RateLimiterRedis({
    storeClient: client,
    // Only ioredis knows that; it takes the arguments of a script in another way.
    useRedisPackage: !("defineCommand" in client),
    // Else the client would keep requests waiting until it is connected again.
    rejectIfRedisNotReady: true,
    keyPrefix: "loyalty_rate_limits",
    points: 1,
    duration: 1,
  });
  return { count: (key, seconds) => withCountTimeout(windowIn(limiter, key, seconds)) };
}

/**
 * Counts a request with a limiter, and gives its window. The limiter's own points and duration don't matter: a penalty is counted without being
 * compared with them, so one limiter does for every quota.
 */
async function windowIn(limiter: RateLimiterAbstract, key: string, seconds: number): Promise<RateWindow> {
  const { consumedPoints, msBeforeNext } = await limiter.penalty(key, 1, { customDuration: seconds });
  if (msBeforeNext <= 2 * seconds * 1_000) return { requests: consumedPoints, msLeft: msBeforeNext };
  // It was begun by a clock that is far ahead, and would last as long as that is ahead.
  await limiter.set(key, 1, seconds);
  return { requests: 1, msLeft: seconds * 1_000 };
}
