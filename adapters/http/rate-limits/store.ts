import { withTimeout } from "../../../src/base/concurrency/timeout.js";

/** The state of a window after a request has been counted in it. */
export interface RateWindow {
  /** Number of requests counted in the window so far, including this one. */
  readonly requests: number;
  /** Number of milliseconds until the window ends. */
  readonly msLeft: number;
}

/** A store that counts requests per token and per organization. Several processes can share one store. */
export interface RateLimitStore {
  /**
   * Counts a request in the key's fixed window, opening a window if none is open. Must never return the same count for two
   * requests in the same window, even if they come from different processes.
   * @param key a hash of at most 64 characters. It never contains the token or the organization ID itself.
   * @param seconds the length of the window, if this request opens one.
   */
  count(key: string, seconds: number): Promise<RateWindow>;
}

/** Returns the number of seconds until a window ends, rounded up and at least 1. A request after that time opens a new window. */
export function getSecondsLeft({ msLeft }: RateWindow): number {
  return Math.max(Math.ceil(msLeft / 1_000), 1);
}

/** The maximum number of requests per window. A window begins with its first request. */
export interface RateQuota {
  /** Maximum number of requests, a whole number from 1 to 1,000,000,000. */
  readonly requests: number;
  /** Length of the window in seconds, a whole number from 1 to 86,400 (one day). */
  readonly seconds: number;
}

/** The maximum processor time per window. A window begins with its first request. */
export interface TimeQuota {
  /** Maximum processor time in milliseconds, a whole number from 1 to 1,000,000,000. */
  readonly milliseconds: number;
  /** Length of the window in seconds, a whole number from 1 to 86,400 (one day). */
  readonly seconds: number;
}

export const MAX_REQUESTS = 1_000_000_000;
const MAX_SECONDS = 86_400;

/**
 * Validates a request quota.
 * @throws {RangeError} if `requests` or `seconds` is out of range.
 */
export function assertQuota({ requests, seconds }: RateQuota): void {
  assertInRange("requests", requests, MAX_REQUESTS);
  assertInRange("seconds", seconds, MAX_SECONDS);
}

/**
 * Validates a time quota.
 * @throws {RangeError} if `milliseconds` or `seconds` is out of range.
 */
export function assertTimeQuota({ milliseconds, seconds }: TimeQuota): void {
  assertInRange("milliseconds", milliseconds, MAX_REQUESTS);
  assertInRange("seconds", seconds, MAX_SECONDS);
}

function assertInRange(name: string, value: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return;
  throw new RangeError(`the ${name} of a rate limit must be a whole number from 1 to ${max}, not ${value}`);
}

/** Maximum time that a request waits for its counter, in milliseconds. */
const COUNT_TIMEOUT_MS = 1_000;

/**
 * Waits for a request to be counted.
 * @throws an Error if counting takes longer than one second.
 */
export function withCountTimeout<T>(count: Promise<T>): Promise<T> {
  return withTimeout(
    COUNT_TIMEOUT_MS,
    count,
    `the rate limit store didn't respond within ${COUNT_TIMEOUT_MS} ms`,
  );
}
