/** The state of a key's window after a request was counted. */
export interface RateWindow {
  /** Number of requests in the window so far, including this one. */
  readonly requests: number;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

/** Counts requests per token and per organization. Several processes may share a store. */
export interface RateLimitStore {
  /**
   * Counts a request in the key's fixed window. The first request begins a window if none is open. No two concurrent requests, from
   * any process, get the same number.
   * @param key a hash of at most 64 characters; never a token itself or an organization's name.
   * @param seconds length of the window, if this request begins one.
   */
  count(key: string, seconds: number): Promise<RateWindow>;
}

/** Returns the whole seconds until a window ends, at least 1. A retry after that time gets a new window. */
export function secondsLeft({ msLeft }: RateWindow): number {
  return Math.max(Math.ceil(msLeft / 1_000), 1);
}

/** Maximum number of requests in a window. The first request begins the window. */
export interface RateQuota {
  /** A whole number from 1 to 1,000,000,000. */
  readonly requests: number;
  /** A whole number from 1 to 86,400 (one day). */
  readonly seconds: number;
}

/** Maximum processor time spent in a window. The first request begins the window. */
export interface TimeQuota {
  /** A whole number from 1 to 1,000,000,000. */
  readonly milliseconds: number;
  /** A whole number from 1 to 86,400 (one day). */
  readonly seconds: number;
}

export const MAX_REQUESTS = 1_000_000_000;
const MAX_SECONDS = 86_400;

/** @throws {RangeError} if the quota is out of range. */
export function assertQuota({ requests, seconds }: RateQuota): void {
  assertWithin("requests", requests, MAX_REQUESTS);
  assertWithin("seconds", seconds, MAX_SECONDS);
}

/** @throws {RangeError} if the quota is out of range. */
export function assertTimeQuota({ milliseconds, seconds }: TimeQuota): void {
  assertWithin("milliseconds", milliseconds, MAX_REQUESTS);
  assertWithin("seconds", seconds, MAX_SECONDS);
}

function assertWithin(name: string, value: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return;
  throw new RangeError(`the ${name} of a rate limit must be a whole number from 1 to ${most}, not ${value}`);
}
