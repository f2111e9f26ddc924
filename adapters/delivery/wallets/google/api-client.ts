import { retryAfterMs } from "../../../../src/base/values/http-date.js";
import type { Clock } from "../../../../src/index.js";
import { toFields, tryParseJson } from "../json.js";
import { AccessTokenError, AccessTokens } from "./access-tokens.js";
import { describeConnectionError } from "./connection-error.js";
import type { GoogleIdentity } from "./identity.js";

/** Timeout for one call, including the wait for the rate limit, in milliseconds. */
const TIMEOUT_MS = 8_000;

/** The statuses with which Google refuses an account an access token. */
const accountErrorStatuses: readonly number[] = [400, 401, 403];

/** The result of a Google Wallet API call, whether or not it succeeded. */
export interface ApiResponse {
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number;
  /** Google's reason for the error, or the reason there was no response. */
  readonly reason: string;
  /** How long Google asked the client to wait, in milliseconds, or 0 if it didn't ask. */
  readonly waitMs: number;
  /** The fields of the response body. Empty if the body isn't a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Calls the Google Wallet API. If the call fails, resolves to a response that describes the failure. */
export type CallGoogle = (method: string, path: string, body?: object) => Promise<ApiResponse>;

/** A client for the Google Wallet API. It authenticates each call with an access token and limits the call rate. */
export class ApiClient {
  private readonly tokens: AccessTokens;
  private readonly throttle: Throttle;
  private readonly closeController = new AbortController();

  constructor(
    private readonly identity: GoogleIdentity,
    private readonly clock: Clock,
  ) {
    this.tokens = new AccessTokens(identity, clock, this.closeController.signal);
    this.throttle = new Throttle(identity.callsPerSecond);
  }

  /**
   * Calls the API. If the call fails, resolves to a response that describes the failure.
   * @param path the path below `/walletobjects/v1`, such as `/loyaltyObject/…`.
   */
  readonly call: CallGoogle = async (method, path, body) => {
    const signal = AbortSignal.any([this.closeController.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const token = await this.tokens.get(signal);
      const response = await this.send(token, method, path, body, signal);
      if (response.status !== 401) return response;
      this.tokens.invalidate(token);
      return await this.send(await this.tokens.get(signal), method, path, body, signal);
    } catch (error) {
      if (error instanceof AccessTokenError) {
        return createNoResponse(
          accountErrorStatuses.includes(error.status) ? 401 : error.status,
          error.message,
        );
      }
      return createNoResponse(0, describeConnectionError(this.identity.apiUrl, error));
    }
  };

  /** Aborts the calls in progress. They resolve to a response with status 0. */
  close(): void {
    this.closeController.abort();
  }

  private async send(
    token: string,
    method: string,
    path: string,
    body: object | undefined,
    signal: AbortSignal,
  ): Promise<ApiResponse> {
    await this.throttle.acquire(signal);
    const response = await fetch(`${this.identity.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: "error",
      signal,
    });
    const text = await response.text();
    const fields = toFields(tryParseJson(text));
    return {
      status: response.status,
      reason: response.ok ? "" : readReason(fields),
      waitMs: retryAfterMs(response.headers.get("retry-after"), this.clock()) ?? 0,
      body: fields,
    };
  }
}

/** Describes an unsuccessful response in human-readable form. */
export function describeResponse({ status, reason }: Pick<ApiResponse, "status" | "reason">): string {
  return status === 0 ? reason : `${status} ${reason}`;
}

function createNoResponse(status: number, reason: string): ApiResponse {
  return { status, reason, waitMs: 0, body: {} };
}

/** Returns Google's reason, such as `quotaExceeded`: the first error's reason, or else the overall status. */
function readReason({ error }: Readonly<Record<string, unknown>>): string {
  const { errors, status } = toFields(error);
  const [first]: unknown[] = Array.isArray(errors) ? errors : [];
  const { reason = status } = toFields(first);
  return typeof reason === "string" ? reason.slice(0, 100) : "";
}

/** Spaces out calls to limit how many start per second. */
export class Throttle {
  private readonly intervalMs: number;
  /** The earliest time at which the next call may start, in `performance.now()` time. */
  private nextCallAt = 0;

  constructor(callsPerSecond: number) {
    this.intervalMs = 1_000 / callsPerSecond;
  }

  /**
   * Resolves when the caller is allowed to start its call.
   * @throws the signal's abort reason, if the signal is aborted first.
   */
  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const now = performance.now();
    const begin = Math.max(now, this.nextCallAt);
    this.nextCallAt = begin + this.intervalMs;
    if (begin > now) await new Promise((resolve) => setTimeout(resolve, begin - now));
    signal.throwIfAborted();
  }
}
