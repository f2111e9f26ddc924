export { type Authenticate, apiTokens } from "./authentication.js";
export { createHttpApi, type HttpApi, type HttpApiOptions } from "./http-api.js";
export type { BodyRefusal, HttpBody, HttpRequest, HttpResponse } from "./message.js";
export { nodeListener } from "./node.js";
export { answerParserErrors, nodeServer } from "./node-server.js";
export type { Method, Route } from "./routes/route.js";
export { routes } from "./routes/table.js";
