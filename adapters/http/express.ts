import type { IncomingMessage, ServerResponse } from "node:http";
import { assertSameVersion } from "../../src/base/copies.js";
import type { HttpApi } from "./http-api.js";
import { readHostBody, sendResponse, toHttpRequest } from "./node.js";
import { type BodyRefusal, type HttpBody, stripOrigin } from "./request/http-message.js";

/**
 * The parts of an Express request that the router uses. They are declared here because Express's own types are installed only on
 * hosts that use Express.
 */
export interface ExpressRequest extends IncomingMessage {
  /** Path and query, relative to the router's mount path, still percent-encoded. */
  readonly url: string;
  /** The path where the handlers are mounted. */
  readonly baseUrl: string;
  /** The client's address, as determined by the host's `trust proxy` setting. */
  readonly ip?: string | undefined;
  /** The request's protocol, `http` or `https`, as determined by the host's `trust proxy` setting. */
  readonly protocol: string;
}

/** Passes control to the host's next handler, or to the host's error handlers if an error is passed. */
export type ExpressNext = (error?: unknown) => void;

/**
 * The two handlers that {@link loyaltyRouter} returns. The first serves the API, and the second responds when one of the host's
 * parsers rejects a request.
 */
export type LoyaltyRouter = [
  serve: (request: ExpressRequest, response: ServerResponse, next: ExpressNext) => void,
  serveRefused: (
    error: unknown,
    request: ExpressRequest,
    response: ServerResponse,
    next: ExpressNext,
  ) => void,
];

/**
 * Creates the handlers that serve the API in an Express 4 or 5 app, either at the root with `app.use(loyaltyRouter(api))` or under
 * a path with `app.use("/loyalty", loyaltyRouter(api))`. Requests for other paths continue to the host's next handler.
 *
 * Mount the router before or after `express.json()`. If you mount it after the parser, the parser rejects bodies that exceed the
 * host's size limit. The parser also replaces bytes that aren't UTF-8 with U+FFFD and rounds fractions in metadata, so every body
 * that contains U+FFFD is rejected (400 `malformed_request`).
 *
 * The second handler responds in the API's error format when the host's parser rejects a request for one of the API's routes. Such
 * a request skips any middleware that the host has mounted between the parser and the API.
 *
 * @example
 * import express from "express";
 * import { loyaltyRouter } from "loyalty-kit/http";
 *
 * express().use("/loyalty", loyaltyRouter(api)).listen(3000);
 */
export function loyaltyRouter(api: HttpApi): LoyaltyRouter {
  assertSameVersion(api, "HttpApi");
  // Express 4 ignores a handler's promise.
  const serve: LoyaltyRouter[0] = (request, response, next) => {
    if (api.owns(stripOrigin(request.url))) respond(request, response, readHostBody(request)).catch(next);
    else next();
  };
  // Express recognizes an error handler by its four parameters.
  const serveRefused: LoyaltyRouter[1] = (error, request, response, next) => {
    const code = toBodyRefusal(error);
    if (code !== null && !response.headersSent && api.owns(stripOrigin(request.url))) {
      respond(request, response, { kind: "refused", code }).catch(next);
    } else {
      next(error);
    }
  };
  return [serve, serveRefused];

  async function respond(request: ExpressRequest, response: ServerResponse, body: HttpBody): Promise<void> {
    const url = stripOrigin(request.url);
    const { baseUrl: prefix, ip: address = null, protocol } = request;
    // Express doesn't normalize the case of the proxy's header.
    const mountedFields = { url, prefix, body, address, isHttps: protocol.toLowerCase() === "https" };
    sendResponse(await api.handle(toHttpRequest(request, response, mountedFields)), response);
  }
}

/** The error types of body-parser. */
const refusalByErrorType: Readonly<Record<string, BodyRefusal>> = {
  "entity.parse.failed": "malformed_request",
  "request.aborted": "malformed_request",
  "request.size.invalid": "malformed_request",
  "entity.too.large": "payload_too_large",
  "charset.unsupported": "unsupported_media_type",
  "encoding.unsupported": "unsupported_media_type",
};

/** Returns why the host's parser rejected the request, or `null` if the host should handle the error itself. */
export function toBodyRefusal(error: unknown): BodyRefusal | null {
  if (!(error instanceof Error) || !("status" in error)) return null;
  if ("type" in error && typeof error.type === "string") return refusalByErrorType[error.type] ?? null;
  // A corrupt compressed body causes zlib errors, with many codes.
  if (error.status === 400 && "errno" in error) return "unsupported_media_type";
  // A host's route with a parameter fails like this on malformed percent-encoding in a path of the API.
  return error.status === 400 && error instanceof URIError ? "malformed_request" : null;
}
