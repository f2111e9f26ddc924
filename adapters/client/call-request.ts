import type { ErrorDetail } from "../../src/errors.js";
import { parseRoute } from "../../src/operations/arguments.js";
import type { RouteText } from "../../src/operations/routes.js";
import { looksLikeUserId } from "../../src/values/user-id.js";

/** A request that may be sent more than once. */
export interface CallRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: string | null;
  /** The path parameters and input fields. Errors quote those that name a resource. */
  readonly named: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  /** True when sending it again, because its first response was lost, does nothing more. */
  readonly isRepeatable: boolean;
  readonly isStreamed: boolean;
  /** True when the answer is a file. */
  readonly isFile: boolean;
}

/** Why a call can't be sent: a wrong value, or the error of writing its input as JSON. */
export interface WrongArgument {
  readonly value?: unknown;
  readonly cause?: unknown;
}

/** Makes the error that a call which can't be sent rejects with. */
export type ErrorOf = (detail: ErrorDetail, wrong?: WrongArgument) => Error;

const malformed: ErrorDetail = { code: "malformed_request", params: null };

const methodOf: Readonly<Record<string, string>> = { QUERY: "POST", ACT: "POST", STREAM: "GET", FILE: "GET" };

/**
 * Builds the request of a call.
 * @param args the parameters of the path in order, and then the input.
 * @throws the error that the service would return, if the arguments can't be put in a request.
 */
export function buildRequest(call: RouteText, args: readonly unknown[], errorOf: ErrorOf): CallRequest {
  const { kind, path: pattern, field } = parseRoute(call);
  let namesOwnIds = true;
  let given = 0;
  const params: Record<string, string> = {};
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(args[given]);
    given += 1;
    namesOwnIds &&= isOwnId(name, value);
    params[name] = value;
    if (!isSegment(value)) throw errorOf({ code: "resource_not_found", params: null }, { value });
    return encodeURIComponent(value);
  });
  const first = field === null ? {} : { [field]: args[given++] };
  const { key, input = {} } = withoutKey(args[given]);
  const makesOnce = kind === "POST" || kind === "ACT";
  if (key !== undefined && !makesOnce) {
    throw errorOf(invalid("idempotencyKey", "is only for calls that are a POST"));
  }
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw errorOf(malformed, { value: input });
  const method = methodOf[kind] ?? kind;
  const isReading = method === "GET";
  return {
    method,
    target: isReading ? path + formatQuery(input, errorOf) : path,
    body: isReading || method === "DELETE" ? null : serializeBody({ ...input, ...first }, errorOf),
    named: { ...input, ...first, ...params },
    idempotencyKey: makesOnce ? (checkedKey(key, errorOf) ?? newKey()) : null,
    // A slug or an external id may be another one's by the time of the second request.
    isRepeatable: isReading || method === "POST" || namesOwnIds,
    isStreamed: kind === "STREAM",
    isFile: kind === "FILE",
  };
}

/** True for an id that the service made, which never comes to mean another thing. */
function isOwnId(name: string, value: string): boolean {
  return name === "userId" ? looksLikeUserId(value) : !/slug$/i.test(name);
}

/** Returns false for what no URL can have between two slashes, or no storage keep. */
function isSegment(value: string): boolean {
  return !/^\.{0,2}$/.test(value) && value.isWellFormed();
}

function invalid(field: string, message: string): ErrorDetail {
  return { code: "validation_failed", fields: { [field]: message } };
}

function withoutKey(last: unknown): { readonly key?: unknown; readonly input: unknown } {
  if (typeof last !== "object" || last === null || !("idempotencyKey" in last)) return { input: last };
  const { idempotencyKey: key, ...input } = last;
  return { key, input };
}

function formatQuery(input: object, errorOf: ErrorOf): string {
  const pairs = Object.entries(input).filter(([, value]) => value !== undefined);
  const wrong = pairs.filter(([, value]) => value === null).map(([name]) => name);
  if (wrong.length > 0) throw errorOf({ code: "wrong_param_type", params: wrong });
  const texts = pairs.map(([name, value]) => {
    const text = String(value);
    if (!text.isWellFormed()) throw errorOf(invalid(name, "must not contain NUL or lone surrogates"));
    return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
  });
  return texts.length === 0 ? "" : `?${texts.join("&")}`;
}

function serializeBody(input: object, errorOf: ErrorOf): string {
  try {
    return JSON.stringify(input);
  } catch (cause) {
    throw errorOf(malformed, { cause });
  }
}

/** Refuses keys that no header can hold. */
function checkedKey(key: unknown, errorOf: ErrorOf): string | undefined {
  if (key === undefined) return undefined;
  if (typeof key !== "string") throw errorOf({ code: "wrong_param_type", params: ["idempotencyKey"] });
  if (key.trim() === "" || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw errorOf(
      invalid("idempotencyKey", "must be a text of 1 to 255 characters, over HTTP of printable ASCII"),
    );
  }
  return key;
}

/** Unlike a UUID of the browser it can be made on pages without TLS too. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `client-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
