import { type RateLimiterAbstract, RateLimiterRedis } from "rate-limiter-flexible";
import { type RateLimitStore, type RateWindow, withCountTimeout } from "./store.js";

/**
 * The subset of a Redis client that the store uses. The client can come from the `redis` package (version 4 or later) or from
 * `ioredis`.
 */
export interface RedisClient {
  /** Runs a Lua script. The format of the remaining arguments depends on the package. */
  eval(script: string, ...rest: never[]): Promise<unknown>;
}

/**
 * Creates a store that counts token requests in a Redis database, so that several processes can share their counts. All keys begin
 * with `loyalty_rate_limits:`.
 *
 * Windows begin and end according to Redis's clock. A request waits at most one second to be counted. Requests aren't counted while
 * the client is disconnected.
 * @param client a connected client. The host must close it.
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
    // Only ioredis has this method. The two packages take script arguments differently.
    useRedisPackage: !("defineCommand" in client),
    // Otherwise the client would queue requests until it reconnects.
    rejectIfRedisNotReady: true,
    keyPrefix: "loyalty_rate_limits",
    points: 1,
    duration: 1,
  });
  return { count: (key, seconds) => withCountTimeout(readWindow(limiter, key, seconds)) };
}

/**
 * Counts a request with the limiter and returns its window. One limiter serves every quota, because counting a penalty doesn't
 * compare it with the limiter's own points and duration.
 */
async function readWindow(limiter: RateLimiterAbstract, key: string, seconds: number): Promise<RateWindow> {
  const { consumedPoints, msBeforeNext } = await limiter.penalty(key, 1, { customDuration: seconds });
  if (msBeforeNext <= 2 * seconds * 1_000) return { requests: consumedPoints, msLeft: msBeforeNext };
  // A clock that ran far ahead began the window, so it would stay open too long.
  await limiter.set(key, 1, seconds);
  return { requests: 1, msLeft: seconds * 1_000 };
}
