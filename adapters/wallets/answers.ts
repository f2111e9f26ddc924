import type { ErrorCode } from "../../src/errors.js";
import { errorCodes, isLoyaltyError } from "../../src/errors.js";
import type { HttpRequest, HttpResponse } from "../http/index.js";
import { collect } from "../http/request/body.js";
import { headerValue } from "../http/request/headers.js";

const json = { "content-type": "application/json", "cache-control": "no-store" };

export function answer(status: number, body: unknown = null): HttpResponse {
  return body === null
    ? { status, headers: { "cache-control": "no-store" }, body: null }
    : { status, headers: json, body: JSON.stringify(body) };
}

/** An error in the general form of the interface. */
export function refusal(code: ErrorCode, headers: HttpResponse["headers"] = {}): HttpResponse {
  const { status, headers: own, body } = answer(errorCodes[code].status, { code, params: null });
  return { status, headers: { ...own, ...headers }, body };
}

/** The refusal of what came too often. */
export function tooOften(secondsToWait: number): HttpResponse {
  return refusal("rate_limit_exceeded", { "retry-after": String(secondsToWait) });
}

/**
 * The body of a request, in JSON.
 * @param maxBytes more is not read.
 * @returns the refusal when it is too large or no JSON.
 */
export async function readBody(
  { body }: HttpRequest,
  maxBytes: number,
): Promise<{ readonly value: unknown } | { readonly refused: HttpResponse }> {
  if (body.kind === "parsed") return { value: body.value };
  if (body.kind === "refused") return { refused: refusal(body.code) };
  if (body.kind === "none") return { refused: refusal("malformed_request") };
  try {
    const bytes = await collect(body.chunks, maxBytes);
    return { value: JSON.parse(Buffer.from(bytes).toString("utf8")) };
  } catch (error) {
    // One that breaks off is the client's doing: nobody is to be told of it.
    return {
      refused: refusal(isLoyaltyError(error, "payload_too_large") ? error.code : "malformed_request"),
    };
  }
}

/** The token after a scheme in the Authorization header, such as `ApplePass`; `null` without one. */
export function authorizationOf({ headers }: HttpRequest, scheme: string): string | null {
  const [name, token, ...others] = (headerValue(headers, "authorization") ?? "").split(" ");
  if (name?.toLowerCase() !== scheme.toLowerCase() || token === undefined || others.length > 0) return null;
  return token;
}
