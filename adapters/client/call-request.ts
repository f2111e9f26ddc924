import { failure, invalid, notFound } from "../../src/errors.js";
import type { RouteText } from "../../src/operations/routes.js";
import { looksLikeUserId } from "../../src/values/user-id.js";

/** A request that may be sent more than once. */
export interface CallRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: string | null;
  readonly idempotencyKey: string | null;
  /** True when sending it again, because its first response was lost, does nothing more. */
  readonly isRepeatable: boolean;
  readonly isStreamed: boolean;
}

const methodOf: Readonly<Record<string, string>> = { QUERY: "POST", ACT: "POST", STREAM: "GET" };

/**
 * The request of a call.
 * @param args the parameters of the path, in their order, and then the input.
 * @throws {LoyaltyError} as the service would for what a request can't say.
 */
export function requestOf(call: RouteText, args: readonly unknown[]): CallRequest {
  const space = call.indexOf(" ");
  const kind = call.slice(0, space);
  let namesOwnIds = true;
  let given = 0;
  const path = call.slice(space + 1).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(args[given]);
    given += 1;
    namesOwnIds &&= isOwnId(name, value);
    return segmentOf(value);
  });
  const { key, input } = withoutKey(args[given]);
  const makesOnce = kind === "POST" || kind === "ACT";
  if (key !== undefined && !makesOnce) {
    throw invalid({ idempotencyKey: "is taken over HTTP only by calls that are a POST" });
  }
  const method = methodOf[kind] ?? kind;
  const isReading = method === "GET";
  return {
    method,
    target: isReading ? path + queryOf(input) : path,
    body: isReading || method === "DELETE" ? null : bodyOf(input),
    idempotencyKey: makesOnce ? (checkedKey(key) ?? newKey()) : null,
    // A slug or an external id may be another one's by the time of the second request.
    isRepeatable: isReading || method === "POST" || namesOwnIds,
    isStreamed: kind === "STREAM",
  };
}

/** True for an id that the service made, which never comes to mean another thing. */
function isOwnId(name: string, value: string): boolean {
  return name === "userId" ? looksLikeUserId(value) : !/slug$/i.test(name);
}

/** @throws {LoyaltyError} `resource_not_found` for what no URL can have at this place, or no storage keep. */
function segmentOf(value: string): string {
  if (/^\.{0,2}$/.test(value) || !value.isWellFormed()) throw notFound(null);
  return encodeURIComponent(value);
}

function withoutKey(last: unknown): { readonly key?: unknown; readonly input: unknown } {
  if (typeof last !== "object" || last === null || !("idempotencyKey" in last)) return { input: last };
  const { idempotencyKey: key, ...input } = last;
  return { key, input };
}

function queryOf(input: unknown): string {
  if (input === undefined) return "";
  if (typeof input !== "object" || input === null) throw failure("malformed_request");
  const pairs = Object.entries(input).filter(([, value]) => value !== undefined);
  const wrong = pairs.filter(([, value]) => value === null).map(([name]) => name);
  if (wrong.length > 0) throw failure("wrong_param_type", wrong);
  const texts = pairs.map(([name, value]) => {
    const text = String(value);
    if (!text.isWellFormed()) throw invalid({ [name]: "must not contain NUL or lone surrogates" });
    return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
  });
  return texts.length === 0 ? "" : `?${texts.join("&")}`;
}

function bodyOf(input: unknown = {}): string {
  try {
    return JSON.stringify(input);
  } catch (cause) {
    throw failure("malformed_request", null, { cause });
  }
}

/** A header can't hold every text. */
function checkedKey(key: unknown): string | undefined {
  if (key === undefined) return undefined;
  if (typeof key !== "string") throw failure("wrong_param_type", ["idempotencyKey"]);
  if (key.trim() === "" || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalid({ idempotencyKey: "must be a text of 1 to 255 characters, over HTTP of printable ASCII" });
  }
  return key;
}

/** Unlike a UUID of the browser it can be made on pages without TLS too. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `client-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
