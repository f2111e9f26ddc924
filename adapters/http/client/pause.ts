import { retryAfterMs } from "../../../src/base/values/http-date.js";

/** Delay before the first retry, in milliseconds. Each further delay is twice as long. */
const FIRST_PAUSE = 250;

/**
 * Maximum delay before a retry, in milliseconds. It is a minute because most servers limit requests per minute. If the server asks
 * for a longer wait, the request isn't retried.
 */
const LONGEST_PAUSE = 60_000;

/**
 * Returns how long to wait before the next retry, in milliseconds. Returns `null` if the server asks for a wait of more than a
 * minute, in which case the client shouldn't retry.
 * @param retryAfter the `Retry-After` header (RFC 9110, section 10.2.3), in seconds or as a date, or `null` if there was none.
 * @param repeats the number of retries so far.
 */
export function retryDelay(retryAfter: string | null, repeats: number): number | null {
  const asked = retryAfterMs(retryAfter, Date.now()) ?? 0;
  if (asked > LONGEST_PAUSE) return null;
  // Keeps clients that failed together from retrying together.
  const jitter = 0.5 + Math.random() / 2;
  return Math.max(asked, FIRST_PAUSE * 2 ** repeats * jitter);
}

/**
 * Resolves after a delay.
 * @throws the signal's abort reason, if the signal aborts first.
 */
export function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}
