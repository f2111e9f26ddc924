/** The HTTP interface of a service: its routes, its OpenAPI document, its limits. */
export type { CapListener } from "./connection-caps.js";
export type { HttpExtension } from "./extension.js";
export { createHttpApi, type HttpApi, type HttpApiOptions } from "./http-api.js";
export { type GetClientAddress, nodeListener } from "./node.js";
export { handleParserErrors, type NodeServerOptions, nodeServer } from "./node-server.js";
export type { RequestLogEntry, ResponseListener } from "./observed.js";
export type { RateLimitOptions } from "./rate-limits/rate-limits.js";
export type { RateLimitStore, RateQuota, RateWindow } from "./rate-limits/store.js";
export { type Authenticate, apiTokens, bearerTokens } from "./request/authentication.js";
export {
  type AuthenticateRequest,
  authenticateByRequest,
  type ByRequestOptions,
  type IncomingCall,
  type RequestAuthentication,
} from "./request/by-request.js";
export type { BodyRefusal, HttpBody, HttpRequest, HttpResponse } from "./request/message.js";
export { type Method, type Route, routes } from "./routes.js";
