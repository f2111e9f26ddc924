export { type PostgresClient, postgresRateLimits } from "./postgres.js";
export { type RedisClient, redisRateLimits } from "./redis.js";
