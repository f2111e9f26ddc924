import type { IncomingMessage, ServerResponse } from "node:http";
import { refuseOtherVersion } from "../../src/copies.js";
import type { HttpApi } from "./http-api.js";
import { readHostBody, sendResponse, toHttpRequest } from "./node.js";
import { type BodyRefusal, type HttpBody, withoutOrigin } from "./request/http-message.js";

/** The parts of an Express request that are read here; only hosts with Express have its types. */
export interface ExpressRequest extends IncomingMessage {
  readonly url: string;
  /** The path that the handlers are mounted at. */
  readonly baseUrl: string;
  /** The client's address, as the host's `trust proxy` says. */
  readonly ip?: string | undefined;
  readonly protocol: string;
}

/** Goes on to the host's next handler, or to its error handlers. */
export type ExpressNext = (error?: unknown) => void;

/** The handlers of {@link loyaltyRouter}: what serves the API, and what answers for the host's parsers. */
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
 * Serves the API in an app of Express 4 or 5: `app.use(loyaltyRouter(api))`, or under a path of its own,
 * `app.use("/loyalty", loyaltyRouter(api))`. Other paths go on to the host's next handler.
 *
 * It may stand before or after `express.json()`. Behind it the host's limit counts, and a body that is too large is
 * answered when it is read. Bytes that are not UTF-8 have become U+FFFD by then, so every body with that character
 * is refused (400 `malformed_request`). Fractions in metadata are as the parser has rounded them. What the host's parser
 * refuses, the second handler answers in the form of the API, for every route: that request has passed by the host's
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
  // Express 4 does not look at the promise of a handler.
  const serve: LoyaltyRouter[0] = (request, response, next) => {
    if (api.owns(withoutOrigin(request.url))) answer(request, response, readHostBody(request)).catch(next);
    else next();
  };
  // Express knows an error handler by its four parameters.
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
    // Express takes the letters as a proxy wrote them.
    const placed = { url, prefix, body, address, isHttps: protocol.toLowerCase() === "https" };
    sendResponse(await api.handle(toHttpRequest(request, response, placed)), response);
  }
}

/** The types of body-parser's errors. */
const refusals: Readonly<Record<string, BodyRefusal>> = {
  "entity.parse.failed": "malformed_request",
  "request.aborted": "malformed_request",
  "request.size.invalid": "malformed_request",
  "entity.too.large": "payload_too_large",
  "charset.unsupported": "unsupported_media_type",
  "encoding.unsupported": "unsupported_media_type",
};

/** Why the host could not read the request; `null` for an error that is the host's own affair. */
export function toBodyRefusal(error: unknown): BodyRefusal | null {
  if (!(error instanceof Error) || !("status" in error)) return null;
  if ("type" in error && typeof error.type === "string") return refusals[error.type] ?? null;
  // A broken compressed body gives errors of zlib, with many codes.
  if (error.status === 400 && "errno" in error) return "unsupported_media_type";
  // A host's route with a parameter in the place of one of ours fails like this on a malformed percent-encoding.
  return error.status === 400 && error instanceof URIError ? "malformed_request" : null;
}
