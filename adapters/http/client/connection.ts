import type { ActorDetails } from "../../../src/access/actor-schema.js";
import { quoteValue } from "../../../src/base/error-messages.js";
import { type ErrorDetail, LoyaltyError } from "../../../src/base/errors.js";
import { retryAfterMs } from "../../../src/base/values/http-date.js";
import type { CallRequest, InvalidArgument } from "./call-request.js";
import { ConnectionError, parseErrorResponse } from "./error-response.js";
import { type ClientToken, TokenSource } from "./token-source.js";

/** Delay before the first retry, in milliseconds. Each further delay is twice as long. */
const INITIAL_DELAY_MS = 250;

/**
 * Maximum delay before a retry, in milliseconds. It is a minute because most servers limit requests per minute. If the server asks
 * for a longer wait, the request isn't retried.
 */
const MAX_DELAY_MS = 60_000;

export interface ClientOptions {
  /** The API's base URL, without `/v1`, such as `https://api.example.com/loyalty`. In a browser, it can be just a path. */
  readonly url: string | URL;
  /** The API token or access token, or a function that returns one for each request. */
  readonly token: ClientToken;
  /** The person on whose behalf the client makes changes. Requires a token with the scope `actor:write`. */
  readonly actor?: ActorDetails;
  /** The function that sends requests. Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** A signal that aborts all of the client's calls. */
  readonly signal?: AbortSignal;
  /** Maximum time to wait for a response or for the next part of a streamed list, in milliseconds. Default: 30,000. */
  readonly timeout?: number;
  /** Maximum number of retries per request. Default: 4. */
  readonly retries?: number;
}

/** A response, or the reason why there is none. */
type FetchResult =
  | { readonly status: number; readonly headers: Headers; readonly text: string }
  | { readonly status: number; readonly items: AsyncGenerator<unknown, void, undefined> }
  | { readonly status: number; readonly bytes: AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> }
  | { readonly status: null; readonly cause: unknown };

/** Statuses that leave it open whether the service has processed the request. */
const UNCERTAIN_STATUSES: ReadonlySet<number | null> = new Set([null, 502, 503, 504]);

/** Sends requests, retrying them when that is safe and refreshing the token if the service rejects it. */
export class Connection {
  private readonly base: string;
  private readonly token: TokenSource;
  private readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  private readonly signal: AbortSignal | undefined;
  private readonly actor: string;
  private readonly timeout: number;
  private readonly retries: number;

  constructor(options: ClientOptions) {
    this.base = parseBaseUrl(options.url);
    this.token = new TokenSource(options.token);
    this.fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.actor = formatActorHeader(options.actor);
    this.signal = options.signal;
    this.timeout = options.timeout ?? 30_000;
    this.retries = options.retries ?? 4;
  }

  /**
   * Sends a request.
   * @returns the call's result, or `undefined` if the response has no body.
   * @throws {LoyaltyError} the error that the service returned.
   * @throws {ConnectionError} if the service doesn't respond.
   * @throws any error from fetching the token, or the signal's abort reason.
   */
  async requestResult(request: CallRequest): Promise<unknown> {
    const response = await this.send(request);
    if (!("text" in response) || response.text === "" || response.status === 404) return undefined;
    try {
      return JSON.parse(response.text);
    } catch {
      throw this.toConnectionError(response);
    }
  }

  /**
   * Sends a request for a streamed list.
   * @returns the list's items, which are yielded as they arrive.
   * @throws the same errors as {@link requestResult}.
   */
  async requestItems(request: CallRequest): Promise<AsyncGenerator<unknown, void, undefined>> {
    const response = await this.send(request);
    if ("items" in response) return response.items;
    throw this.toConnectionError(response);
  }

  /**
   * Sends a request for a file.
   * @returns the file's bytes, which are yielded as they arrive.
   * @throws the same errors as {@link requestResult}.
   */
  async requestBytes(
    request: CallRequest,
  ): Promise<AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>> {
    const response = await this.send(request);
    if ("bytes" in response) return response.bytes;
    throw this.toConnectionError(response);
  }

  createError(detail: ErrorDetail, argument?: InvalidArgument): LoyaltyError {
    if (argument === undefined) return new LoyaltyError(detail);
    return new LoyaltyError(detail, { message: formatMessage(detail, argument), cause: argument.cause });
  }

  /** Sends a request until it succeeds. Retries it if that is safe, and refreshes the token once. */
  private async send(request: CallRequest): Promise<FetchResult> {
    let mayHaveSucceeded = false;
    let hasRefreshedToken = false;
    for (let retryCount = 0; ; ) {
      const token = await this.token.current();
      const response = await this.sendOnce(request, token);
      this.signal?.throwIfAborted();
      const { status } = response;
      if (status !== null && status >= 200 && status < 300) return response;
      if (status === 401 && token !== null && !hasRefreshedToken && (await this.token.refresh(token))) {
        hasRefreshedToken = true;
        continue;
      }
      // An earlier attempt has deleted the resource.
      if (status === 404 && mayHaveSucceeded && request.method === "DELETE") return response;
      const error = "text" in response ? parseErrorResponse(response.text, response.headers, request) : null;
      const isUncertain = UNCERTAIN_STATUSES.has(status);
      const isInProgress = mayHaveSucceeded && error?.code === "idempotency_key_in_use";
      const shouldRetry = status === 429 || isInProgress || (isUncertain && request.isRepeatable);
      const retryAfter = "text" in response ? response.headers.get("retry-after") : null;
      const delayMs =
        shouldRetry && retryCount < this.retries ? computeRetryDelayMs(retryAfter, retryCount) : null;
      if (delayMs === null) throw error ?? this.toConnectionError(response);
      mayHaveSucceeded ||= isUncertain;
      retryCount += 1;
      await waitFor(delayMs, this.signal);
    }
  }

  private async sendOnce(request: CallRequest, token: string | null): Promise<FetchResult> {
    const { method, target, body, isStreamed, isFile } = request;
    const headers = buildHeaders(request, token);
    if (this.actor !== "" && method !== "GET") headers.set("loyalty-actor", this.actor);
    const timeout = new Timeout(this.timeout, this.signal);
    let isStreaming = false;
    try {
      timeout.startWaiting();
      const response = await this.fetch(this.base + target, {
        method,
        headers,
        body,
        signal: timeout.signal,
      });
      const { status, ok, redirected, url } = response;
      // A redirect may have turned the request into a GET.
      if (redirected && method !== "GET") throw new Error(`The request was redirected to ${url}.`);
      if (isFile && ok && response.body !== null) {
        isStreaming = true;
        return { status, bytes: streamFileBytes(response.body, timeout) };
      }
      if (isStreamed && ok && response.body !== null) {
        isStreaming = true;
        return { status, items: readStreamedItems(response.body, timeout) };
      }
      return { status, headers: response.headers, text: await response.text() };
    } catch (cause) {
      return { status: null, cause };
    } finally {
      if (!isStreaming) timeout.end();
    }
  }

  private toConnectionError(response: FetchResult): ConnectionError {
    const { status } = response;
    const location = this.base === "" ? "the page's own host" : this.base;
    return status === null
      ? new ConnectionError(
          `The service at ${location} can't be reached, or its response was cut off.`,
          null,
          {
            cause: response.cause,
          },
        )
      : new ConnectionError(
          `The response with status ${status} isn't from the service. Check that ${location} is the part of the URL before /v1.`,
          status,
        );
  }
}

/** @throws {TypeError} for a token that isn't valid in a header. */
function buildHeaders({ body, idempotencyKey }: CallRequest, token: string | null): Headers {
  const headers = new Headers();
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  if (body !== null) headers.set("content-type", "application/json");
  if (idempotencyKey !== null) headers.set("idempotency-key", formatHeaderString(idempotencyKey));
  return headers;
}

function formatActorHeader(actor: ActorDetails = {}): string {
  const pairs = Object.entries(actor).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return new URLSearchParams(pairs).toString();
}

/** Quotes a string (RFC 9651, section 3.3.3), which preserves leading and trailing spaces. */
function formatHeaderString(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

function formatMessage({ code }: ErrorDetail, { value }: InvalidArgument): string {
  if (code === "resource_not_found") return `${quoteValue(String(value))} isn't a valid ID or slug.`;
  return "The argument input can't be written as JSON.";
}

/**
 * Returns the part of the URL that precedes each call's path.
 * @throws {TypeError} if the URL is neither an `https://` or `http://` URL nor a path on the page's own host.
 */
function parseBaseUrl(url: string | URL): string {
  const text = String(url);
  if (text !== "" && !/^(https?:\/\/.|\.{0,2}\/)/i.test(text)) {
    throw new TypeError(
      `createClient: url begins with https:// or http://, as in "${suggestUrl(text)}", or with / for a path of the page's own host, and "${text}" does not.`,
    );
  }
  return text.replace(/\/+$/, "");
}

function suggestUrl(input: string): string {
  const rest = input.replace(/^[a-z]+:\/+/i, "");
  return `${/^(localhost|127\.|\[)/i.test(rest) ? "http" : "https"}://${rest === "" ? "api.example.com" : rest}`;
}

/**
 * Yields a file's bytes as they arrive, reading only as fast as the caller does.
 * @throws {ConnectionError} if the connection breaks.
 * @throws the caller's abort reason, if the caller aborted.
 */
async function* streamFileBytes(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  timeout: Timeout,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      timeout.startWaiting();
      const { done, value } = await reader.read();
      timeout.stopWaiting();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    timeout.throwIfAborted();
    throw new ConnectionError("The file broke off.", null, { cause });
  } finally {
    timeout.end();
    await reader.cancel().catch(() => {});
  }
}

/**
 * Returns how long to wait before the next retry, in milliseconds. Returns `null` if the server asks for a wait of more than a
 * minute, in which case the client shouldn't retry.
 * @param retryAfter the `Retry-After` header (RFC 9110, section 10.2.3), in seconds or as a date, or `null` if there was none.
 * @param retryCount the number of retries so far.
 */
export function computeRetryDelayMs(retryAfter: string | null, retryCount: number): number | null {
  const requestedMs = retryAfterMs(retryAfter, Date.now()) ?? 0;
  if (requestedMs > MAX_DELAY_MS) return null;
  // Keeps clients that failed together from retrying together.
  const jitter = 0.5 + Math.random() / 2;
  return Math.max(requestedMs, INITIAL_DELAY_MS * 2 ** retryCount * jitter);
}

/**
 * Resolves after a delay.
 * @throws the signal's abort reason, if the signal aborts first.
 */
function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * Yields a list's items as they arrive. Reads the response only as fast as the caller consumes the items.
 * @throws {ConnectionError} if the connection is lost.
 * @throws the caller's abort reason, if the caller aborted.
 */
async function* readStreamedItems(
  body: ReadableStream<Uint8Array>,
  timeout: Timeout,
): AsyncGenerator<unknown, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const splitter = new ItemSplitter();
  try {
    for (let isDone = false; !isDone; ) {
      timeout.startWaiting();
      const { done, value } = await reader.read();
      timeout.stopWaiting();
      isDone = done;
      for (const item of splitter.push(done ? decoder.decode() : decoder.decode(value, { stream: true }))) {
        yield JSON.parse(item);
      }
    }
    if (!splitter.isComplete) throw new SyntaxError("It has no end.");
  } catch (cause) {
    timeout.throwIfAborted();
    throw new ConnectionError("The list broke off.", null, { cause });
  } finally {
    timeout.end();
    await reader.cancel().catch(() => {});
  }
}

/**
 * Splits a JSON array into one JSON string per item while the array is still arriving. It doesn't validate the JSON, so an
 * invalid array can yield invalid items.
 */
export class ItemSplitter {
  /** The text after the last returned item. */
  private text = "";
  /** Index up to which the text has been scanned. */
  private position = 0;
  /** Number of open arrays and objects. */
  private depth = 0;
  private isInString = false;
  private hasEnded = false;

  /** Whether the whole array has been read and nothing follows it. */
  get isComplete(): boolean {
    return this.hasEnded && this.text.trim() === "";
  }

  /** Yields the items that the next piece of text completes. Keeps an incomplete item until a later piece completes it. */
  *push(piece: string): Generator<string, void, undefined> {
    this.text += piece;
    for (let mark = this.findNextMark(); mark !== null; mark = this.findNextMark()) {
      if (mark === '"') this.isInString = !this.isInString;
      else if (mark === "[" || mark === "{") this.depth += 1;
      else if (mark === "]" || mark === "}") this.depth -= 1;
      const isStart = mark === "[" && this.depth === 1;
      const isSeparator = mark === "," && this.depth === 1;
      const isEnd = this.depth === 0;
      if (!isStart && !isSeparator && !isEnd) continue;
      const item = this.text.slice(0, this.position - 1);
      this.text = this.text.slice(this.position);
      this.position = 0;
      this.hasEnded = isEnd;
      if (isSeparator || (isEnd && item.trim() !== "")) yield item;
    }
  }

  /** Returns the next character that opens, closes or separates something; `null` if there is none yet. */
  private findNextMark(): string | null {
    for (;;) {
      const marks = this.isInString ? /["\\]/g : /["[\]{},]/g;
      marks.lastIndex = this.position;
      const match = marks.exec(this.text);
      if (match === null) {
        this.position = Math.max(this.position, this.text.length);
        return null;
      }
      const [mark] = match;
      // The escaped character may not have arrived yet.
      this.position = match.index + (mark === "\\" ? 2 : 1);
      if (mark !== "\\") return mark;
    }
  }
}

/**
 * Applies the same time limit to each of several consecutive waits. If the caller's signal aborts, the current wait ends early.
 */
class Timeout {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly abort: () => void;

  constructor(
    private readonly ms: number,
    private readonly callerSignal: AbortSignal | undefined,
  ) {
    this.abort = () => this.controller.abort(callerSignal?.reason);
    if (callerSignal?.aborted) this.abort();
    else callerSignal?.addEventListener("abort", this.abort);
  }

  /** A signal that aborts when a wait takes too long or when the caller aborts. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Ends the previous wait and starts a new one with the full time limit. */
  startWaiting(): void {
    this.stopWaiting();
    const onTimeout = () => this.controller.abort(new Error(`No response within ${this.ms} ms.`));
    this.timer = setTimeout(onTimeout, this.ms);
  }

  stopWaiting(): void {
    clearTimeout(this.timer);
  }

  /** Throws the caller's abort reason if the caller has aborted. */
  throwIfAborted(): void {
    this.callerSignal?.throwIfAborted();
  }

  end(): void {
    this.stopWaiting();
    this.callerSignal?.removeEventListener("abort", this.abort);
  }
}
