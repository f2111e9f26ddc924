import { isLoyaltyError, type LoyaltyError } from "../../src/errors.js";
import { refuseKeys } from "../../src/resources/unknown-keys.js";
import { readJson, refuseUnknown } from "./request/body.js";
import type { HttpRequest } from "./request/message.js";
import { type CallRoute, decodedParams, type RouteMatch } from "./routes.js";

/** A request whose route was found. */
export interface Call {
  readonly match: RouteMatch;
  readonly path: string;
  readonly query: string | null;
  readonly request: HttpRequest;
  /** The token that came with it, if one did. */
  readonly shown: string | null;
  /** A strict call is refused for unknown parameters and fields. */
  readonly isStrict: boolean;
}

/** What a use case is called with. @throws {LoyaltyError} why there is no body, or what a strict call does not know. */
export function inputOf(call: Call, read: ReadBody) {
  const { match, query, isStrict } = call;
  const body = bodyOf(read);
  const input = {
    params: decodedParams(match.params),
    query: query === null ? {} : match.query.read(query),
    body,
  };
  if (isStrict) refuseUnknownOf(call, body);
  return input;
}

/** @throws {LoyaltyError} `validation_failed` on the parameters that are unknown, or else the fields of the body. */
function refuseUnknownOf({ match: { route, query: reader }, query }: Call, body: unknown): void {
  if (query !== null) refuseKeys(reader.unknown(query));
  if (route.scope !== null && route.body !== undefined && body !== undefined) refuseUnknown(route.body, body);
}

/** A body, or why there is none: an idempotency key is looked at before that is told. */
export type ReadBody = { readonly value: unknown } | { readonly refusal: LoyaltyError };

/** Reads the body that a route has, if it has one. */
export function readBody(route: CallRoute, request: HttpRequest): ReadBody | Promise<ReadBody> {
  // A refused request has passed by the host's middleware behind its parser, so it never gets to a use case.
  const { body } = request;
  if (route.body === undefined && body.kind !== "refused") return withoutValue;
  if (route.needsNoBody && body.kind === "none") return withoutValue;
  return readValue(request, route.needsNoBody === true);
}

const withoutValue: ReadBody = { value: undefined };

async function readValue(request: HttpRequest, mayBeEmpty: boolean): Promise<ReadBody> {
  try {
    return { value: await readJson(request, mayBeEmpty) };
  } catch (error) {
    if (!isLoyaltyError(error)) throw error;
    return { refusal: error };
  }
}

/** @throws {LoyaltyError} why it could not be read. */
function bodyOf(read: ReadBody): unknown {
  if ("refusal" in read) throw read.refusal;
  return read.value;
}
