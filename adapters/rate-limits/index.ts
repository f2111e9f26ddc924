/** Rate limits that several processes count together. */
export { type PostgresClient, postgresRateLimits } from "./postgres.js";
export { type RedisClient, redisRateLimits } from "./redis.js";
