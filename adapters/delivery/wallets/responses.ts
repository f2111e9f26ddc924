import type { ErrorCode } from "../../../src/base/errors.js";
import { errorCodes, isLoyaltyError } from "../../../src/base/errors.js";
import type { HttpRequest, HttpResponse } from "../../http/index.js";
import { readWholeBody } from "../../http/request/body.js";

const jsonHeaders = { "content-type": "application/json", "cache-control": "no-store" };

export function walletResponse(status: number, body: unknown = null): HttpResponse {
  return body === null
    ? { status, headers: { "cache-control": "no-store" }, body: null }
    : { status, headers: jsonHeaders, body: JSON.stringify(body) };
}

/** Builds an error response in the API's standard format. */
export function walletErrorResponse(code: ErrorCode, headers: HttpResponse["headers"] = {}): HttpResponse {
  const {
    status,
    headers: defaultHeaders,
    body,
  } = walletResponse(errorCodes[code].status, { code, params: null });
  return { status, headers: { ...defaultHeaders, ...headers }, body };
}

export function tooManyRequestsResponse(secondsToWait: number): HttpResponse {
  return walletErrorResponse("rate_limit_exceeded", { "retry-after": String(secondsToWait) });
}

const YEAR_SECONDS = 31_536_000;

/**
 * Builds a response with a picture. Clients can cache it forever because the picture at a given URL never changes.
 * @param tag the entity tag. If set, pages on other origins can use the picture.
 */
export function pictureResponse(bytes: Uint8Array, type = "image/png", tag?: string): HttpResponse {
  return {
    status: 200,
    headers: {
      "content-type": type,
      "cache-control": `public, max-age=${YEAR_SECONDS}, immutable`,
      "x-content-type-options": "nosniff",
      ...(tag !== undefined && { etag: `"${tag}"`, "access-control-allow-origin": "*" }),
    },
    body: new Uint8Array(bytes),
  };
}

/**
 * Reads a JSON request body of at most `maxBytes`.
 * @returns the parsed value, or an error response if the body is too large or isn't valid JSON.
 */
export async function readBody(
  { headers, body }: HttpRequest,
  maxBytes: number,
): Promise<{ readonly value: unknown } | { readonly refused: HttpResponse }> {
  if (body.kind === "parsed") return { value: body.value };
  if (body.kind === "refused") return { refused: walletErrorResponse(body.code) };
  if (body.kind === "none") return { refused: walletErrorResponse("malformed_request") };
  try {
    const bytes = await readWholeBody(body.chunks, headers, maxBytes);
    return { value: JSON.parse(Buffer.from(bytes).toString("utf8")) };
  } catch (error) {
    if (isLoyaltyError(error, "storage_unavailable")) throw error;
    // An aborted request is not reported as an error.
    return {
      refused: walletErrorResponse(
        isLoyaltyError(error, "payload_too_large") ? error.code : "malformed_request",
      ),
    };
  }
}
