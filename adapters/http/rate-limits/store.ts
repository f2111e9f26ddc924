/** The state of a key's window after a request was counted. */
export interface RateWindow {
  /** The requests in the window so far, this one included. */
  readonly requests: number;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

/** Counts the requests of tokens, and of all tokens of an organization. It may be shared by several processes. */
export interface RateLimitStore {
  /**
   * Counts one request in the key's window: a fixed one, which begins with the first request when there is none.
   * Of requests at the same time, from whichever process, no two get the same number.
   * @param key at most 64 characters; a hash: never a token itself, nor the name of an organization.
   * @param seconds how long a window is that begins now.
   */
  count(key: string, seconds: number): Promise<RateWindow>;
}

/** Returns the whole seconds until a window ends, at least 1, so that a retry after them finds a new window. */
export function secondsLeft({ msLeft }: RateWindow): number {
  return Math.max(Math.ceil(msLeft / 1_000), 1);
}

/** The most requests that are answered in a window, which begins with its first request. */
export interface RateQuota {
  /** A whole number from 1 to 1,000,000,000. */
  readonly requests: number;
  /** A whole number from 1 to 86,400, which is a day. */
  readonly seconds: number;
}

/** The most of the process's time that is spent in a window, which begins with its first request. */
export interface TimeQuota {
  /** A whole number from 1 to 1,000,000,000. */
  readonly milliseconds: number;
  /** A whole number from 1 to 86,400, which is a day. */
  readonly seconds: number;
}

export const MAX_REQUESTS = 1_000_000_000;
const MAX_SECONDS = 86_400;

/** @throws {RangeError} if the quota can't be one. */
export function assertQuota({ requests, seconds }: RateQuota): void {
  assertWithin("requests", requests, MAX_REQUESTS);
  assertWithin("seconds", seconds, MAX_SECONDS);
}

/** @throws {RangeError} if the quota can't be one. */
export function assertTimeQuota({ milliseconds, seconds }: TimeQuota): void {
  assertWithin("milliseconds", milliseconds, MAX_REQUESTS);
  assertWithin("seconds", seconds, MAX_SECONDS);
}

function assertWithin(name: string, value: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return;
  throw new RangeError(`the ${name} of a rate limit must be a whole number from 1 to ${most}, not ${value}`);
}
