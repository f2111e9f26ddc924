import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import { buildCalls } from "../../../../http/client/build-calls.js";
import type { CallRequest } from "../../../../http/client/call-request.js";
import { parseErrorBody } from "../../../../http/client/error-response.js";
import { CallError } from "./call-error.js";
import { base, waitForSignIn } from "./session.js";

interface CallOptions {
  /** Aborts running calls when it is aborted. The calls then reject with the signal's abort reason. */
  readonly signal?: AbortSignal;
  /** How long to wait for a response before treating the server as unreachable, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number;
  /**
   * Whether to retry a call once: a POST whose response was lost or that was rate-limited, and any change that the server is too
   * busy for, such as one with a picture. Default: true.
   */
  readonly retry?: boolean;
  /** Whether to ask the user to sign in and then repeat the call if the session has ended. Default: true. */
  readonly askToSignIn?: boolean;
}

/** Maximum time to wait before retrying a call, in seconds. */
const MAX_RETRY_DELAY_SECONDS = 5;

/**
 * Creates functions that call the API for the signed-in organization. The calls are authenticated by the page's session. Failed
 * calls reject with a {@link CallError}.
 */
export function createCalls({
  signal,
  timeoutMs,
  retry = true,
  askToSignIn = true,
}: CallOptions): OrganizationCalls {
  const fetchResult = async (request: CallRequest): Promise<unknown> => {
    const { response, text } = await sendAndReadText(request, signal, timeoutMs);
    if (response.status === 401 && askToSignIn) {
      await waitForSignIn();
      return fetchResult(request);
    }
    if (response.ok) return text === "" ? undefined : JSON.parse(text);
    throw toCallError(response, text);
  };
  const fetchBytes = async (request: CallRequest): Promise<AsyncGenerator<Uint8Array<ArrayBuffer>>> => {
    const response = await send(request, signal);
    if (response.status === 401 && askToSignIn) {
      await waitForSignIn();
      return fetchBytes(request);
    }
    if (response.ok && response.body !== null) return readChunks(response.body, signal);
    throw toCallError(response, await response.text());
  };
  /** Retries with the same idempotency key, so that nothing is done twice. */
  const fetchResultWithRetry = async (request: CallRequest): Promise<unknown> => {
    try {
      return await fetchResult(request);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const { status, retryAfter } = error;
      const hasKey = request.idempotencyKey !== null;
      const isIdempotent = request.method === "PUT" || request.method === "PATCH";
      if (hasKey && status === 0) return fetchResult(request);
      const isTooBusy = (hasKey && status === 429) || ((hasKey || isIdempotent) && status === 503);
      if (!isTooBusy || retryAfter === null || retryAfter > MAX_RETRY_DELAY_SECONDS) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryAfter * 1_000));
      return fetchResult(request);
    }
  };
  return buildCalls({
    requestResult: retry ? fetchResultWithRetry : fetchResult,
    createError: (detail) => new CallError(400, detail),
    requestItems: () => Promise.reject(new Error("The console reads lists page by page.")),
    requestBytes: fetchBytes,
  });
}

/** Functions that call the API with the default options. Used for actions that the user takes on screen. */
export const api = createCalls({});

/** Returns a new, random idempotency key. Unlike `crypto.randomUUID`, it also works on pages served over plain HTTP. */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function toCallError(response: Response, text: string): CallError {
  const retryAfter = Number(response.headers.get("retry-after")) || null;
  const missingResource = response.headers.get("loyalty-missing");
  return new CallError(response.status, parseErrorBody(text), retryAfter, missingResource);
}

/**
 * Yields a file's bytes as they arrive.
 * @throws {CallError} if the transfer breaks off.
 */
async function* readChunks(body: ReadableStream<Uint8Array<ArrayBuffer>>, signal: AbortSignal | undefined) {
  const reader = body.getReader();
  try {
    for (let result = await reader.read(); !result.done; result = await reader.read()) yield result.value;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError(0, null);
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function sendAndReadText(
  request: CallRequest,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): Promise<{ readonly response: Response; readonly text: string }> {
  const signals = [
    ...(signal ? [signal] : []),
    ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]),
  ];
  const [combinedSignal] = signals.length > 1 ? [AbortSignal.any(signals)] : signals;
  try {
    const response = await send(request, combinedSignal);
    return { response, text: await response.text() };
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError(0, null);
  }
}

/**
 * @throws {CallError} if there is no response.
 * @throws the signal's abort reason, if the signal aborted.
 */
async function send(
  { method, target, body, idempotencyKey }: CallRequest,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const headers: Record<string, string> = { "x-loyalty-console": "1" };
  if (body !== null) headers["content-type"] = "application/json";
  if (idempotencyKey !== null) headers["idempotency-key"] = idempotencyKey;
  try {
    return await fetch(`${base}/api${target}`, { method, headers, body, signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError(0, null);
  }
}
