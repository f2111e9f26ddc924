import type { IncomingMessage, ServerResponse } from "node:http";
import { refuseOtherVersion } from "../../src/copies.js";
import type { HttpApi } from "./http-api.js";
import { readHostBody, sendResponse, toHttpRequest } from "./node.js";
import { type BodyRefusal, type HttpBody, withoutOrigin } from "./request/http-message.js";

/** The parts of an Express request that are read here. Only hosts with Express have Express's own types. */
export interface ExpressRequest extends IncomingMessage {
  readonly url: string;
  /** The path that the handlers are mounted at. */
  readonly baseUrl: string;
  /** The client's address, determined by the host's `trust proxy` setting. */
  readonly ip?: string | undefined;
  readonly protocol: string;
}

/** Continues with the host's next handler, or with its error handlers. */
export type ExpressNext = (error?: unknown) => void;

/** The handlers of {@link loyaltyRouter}: one serves the API, the other responds to errors from the host's parsers. */
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
 * Serves the API in an Express 4 or 5 app: `app.use(loyaltyRouter(api))`, or under its own path, `app.use("/loyalty",
 * loyaltyRouter(api))`. Other paths continue to the host's next handler.
 *
 * Mount it before or after `express.json()`. If it comes after, the host's size limit applies, and a body that is too large is
 * rejected when the parser reads it. Bytes that are not UTF-8 have become U+FFFD by then, so every body with that character is
 * rejected (400 `malformed_request`). Fractions in metadata are as the parser has rounded them. The second handler responds in the
 * API's error format, for every route, when the host's parser rejects a request, because that request has skipped the host's
 * middleware in between.
 *
 * @example
 * import express from "express";
 * import { loyaltyRouter } from "loyalty-kit/http";
 *
 * express().use("/loyalty", loyaltyRouter(api)).listen(3000);
 */
export function loyaltyRouter(api: HttpApi): LoyaltyRouter {
  refuseOtherVersion(api, "HttpApi");
  // Express 4 ignores a handler's promise.
  const serve: LoyaltyRouter[0] = (request, response, next) => {
    if (api.owns(withoutOrigin(request.url))) answer(request, response, readHostBody(request)).catch(next);
    else next();
  };
  // Express recognizes an error handler by its four parameters.
  const serveRefused: LoyaltyRouter[1] = (error, request, response, next) => {
    const code = toBodyRefusal(error);
    if (code !== null && !response.headersSent && api.owns(withoutOrigin(request.url))) {
      answer(request, response, { kind: "refused", code }).catch(next);
    } else {
      next(error);
    }
  };
  return [serve, serveRefused];

  async function answer(request: ExpressRequest, response: ServerResponse, body: HttpBody): Promise<void> {
    const url = withoutOrigin(request.url);
    const { baseUrl: prefix, ip: address = null, protocol } = request;
    // Express doesn't normalize the case of the proxy's header.
    const placed = { url, prefix, body, address, isHttps: protocol.toLowerCase() === "https" };
    sendResponse(await api.handle(toHttpRequest(request, response, placed)), response);
  }
}

/** The error types of body-parser. */
const refusals: Readonly<Record<string, BodyRefusal>> = {
  "entity.parse.failed": "malformed_request",
  "request.aborted": "malformed_request",
  "request.size.invalid": "malformed_request",
  "entity.too.large": "payload_too_large",
  "charset.unsupported": "unsupported_media_type",
  "encoding.unsupported": "unsupported_media_type",
};

/** Returns why the host's parser rejected the request; `null` for an error that concerns only the host. */
export function toBodyRefusal(error: unknown): BodyRefusal | null {
  if (!(error instanceof Error) || !("status" in error)) return null;
  if ("type" in error && typeof error.type === "string") return refusals[error.type] ?? null;
  // A corrupt compressed body causes zlib errors, with many codes.
  if (error.status === 400 && "errno" in error) return "unsupported_media_type";
  // A host's route with a parameter fails like this on malformed percent-encoding in a path of the API.
  return error.status === 400 && error instanceof URIError ? "malformed_request" : null;
}
