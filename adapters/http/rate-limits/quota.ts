/** How many requests are answered in a window, which begins with its first request. */
export interface RateQuota {
  /** A whole number from 1 to 1,000,000,000. */
  readonly requests: number;
  /** A whole number from 1 to 86,400, which is a day. */
  readonly seconds: number;
}

/** How much of the process's time is spent in a window, which begins with its first request. */
export interface TimeQuota {
  /** A whole number from 1 to 1,000,000,000. */
  readonly milliseconds: number;
  /** A whole number from 1 to 86,400, which is a day. */
  readonly seconds: number;
}

export const MAX_REQUESTS = 1_000_000_000;
const MAX_SECONDS = 86_400;

/** @throws {RangeError} when the quota can't be one. */
export function assertQuota({ requests, seconds }: RateQuota): void {
  assertWithin("requests", requests, MAX_REQUESTS);
  assertWithin("seconds", seconds, MAX_SECONDS);
}

/** @throws {RangeError} when the quota can't be one. */
export function assertTimeQuota({ milliseconds, seconds }: TimeQuota): void {
  assertWithin("milliseconds", milliseconds, MAX_REQUESTS);
  assertWithin("seconds", seconds, MAX_SECONDS);
}

function assertWithin(name: string, value: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return;
  throw new RangeError(`the ${name} of a rate limit must be a whole number from 1 to ${most}, not ${value}`);
}
