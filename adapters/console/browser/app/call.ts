import { CallError } from "../parts/call-error.js";
import { newIdempotencyKey } from "./idempotency-key.js";
import { base } from "./session.js";
import { untilSignedIn } from "./sign-in-again.js";

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Makes a repeat of the call do nothing more. */
  readonly idempotencyKey?: string;
  /** Whether an ended session is the caller's affair. */
  readonly staysSignedOut?: boolean;
}

/** How long a call waits for a limit before it gives up, in seconds. */
const PATIENCE = 5;

/**
 * Calls the API. Where the session has ended, it asks for a token and goes on, so that nothing typed is lost.
 * @param path such as `/v1/contacts?page=1`.
 * @throws {CallError}; what aborting throws.
 */
export async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  options: CallOptions = {},
): Promise<T> {
  const answer = await answered(method, path, body, options);
  if (answer.status === 401 && options.staysSignedOut !== true) {
    await untilSignedIn();
    return call(method, path, body, options);
  }
  const text = await answer.text();
  const parsed = text === "" ? undefined : parsedOr(text);
  if (answer.ok) return parsed;
  const retryAfter = Number(answer.headers.get("retry-after")) || null;
  throw CallError.of(answer.status, Object(parsed), retryAfter);
}

export const get = <T>(path: string, signal?: AbortSignal) =>
  call<T>("GET", path, undefined, signal === undefined ? {} : { signal });

/** Sends with a key of its own making: should the answer be lost, another try does nothing twice. */
export async function post<T>(
  path: string,
  body?: unknown,
  idempotencyKey = newIdempotencyKey(),
): Promise<T> {
  try {
    return await call<T>("POST", path, body, { idempotencyKey });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (error.status === 429 && (error.retryAfter ?? PATIENCE + 1) <= PATIENCE) {
      await new Promise((resolve) => setTimeout(resolve, (error.retryAfter ?? 1) * 1_000));
    } else if (error.status !== 0) {
      throw error;
    }
    return call<T>("POST", path, body, { idempotencyKey });
  }
}

export const put = <T>(path: string, body: unknown) => call<T>("PUT", path, body);
export const patch = <T>(path: string, body: unknown) => call<T>("PATCH", path, body);
export const remove = (path: string) => call<void>("DELETE", path);

async function answered(
  method: string,
  path: string,
  body: unknown,
  { signal, idempotencyKey }: CallOptions,
): Promise<Response> {
  const headers: Record<string, string> = { "x-loyalty-console": "1" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
  try {
    return await fetch(`${base}/api${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw CallError.unanswered();
  }
}

/** What stands between may answer with a page of its own. */
function parsedOr(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
