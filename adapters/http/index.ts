/** A service's HTTP interface, with its routes, OpenAPI document, rate limits, and adapters for servers and frameworks. */

export { type ExpressNext, type ExpressRequest, type LoyaltyRouter, loyaltyRouter } from "./express.js";
export type { HttpExtension } from "./extension.js";
export {
  type FrameworkErrorsOptions,
  frameworkErrors,
  type LoyaltyPlugin,
  type LoyaltyPluginOptions,
  loyaltyPlugin,
  type PluginHost,
  type PluginReply,
  type PluginRequest,
  type PluginRoute,
} from "./fastify.js";
export { createHttpApi, type HttpApi, type HttpApiOptions } from "./http-api.js";
export { type GetClientAddress, nodeListener } from "./node.js";
export { type CapListener, handleParserErrors, type NodeServerOptions, nodeServer } from "./node-server.js";
export { type PostgresClient, postgresRateLimits } from "./rate-limits/on-postgres.js";
export { type RedisClient, redisRateLimits } from "./rate-limits/on-redis.js";
export type { RateLimitOptions } from "./rate-limits/rate-limits.js";
export type { RateLimitStore, RateQuota, RateWindow } from "./rate-limits/store.js";
export {
  type Authenticate,
  type AuthenticateRequest,
  apiTokens,
  authenticateByRequest,
  type ByRequestOptions,
  bearerTokens,
  type IncomingCall,
  type RequestAuthentication,
} from "./request/authentication.js";
export type { BodyRefusal, HttpBody, HttpRequest, HttpResponse } from "./request/http-message.js";
export type { RequestLogEntry, ResponseListener } from "./request-log.js";
export { type Method, type Route, routes } from "./routes.js";
