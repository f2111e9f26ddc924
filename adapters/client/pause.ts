import { retryAfterMs } from "../../src/values/http-date.js";

/** The pause before a first repeat, in milliseconds; each one after it is twice as long. */
const FIRST_PAUSE = 250;

/** A request that should wait longer is not repeated: most servers limit by the minute. */
const LONGEST_PAUSE = 60_000;

/**
 * Returns the pause before a request is repeated, in milliseconds; `null` if it would be too long.
 * @param retryAfter the header (RFC 9110, section 10.2.3), in seconds or as a date; `null` if there was none.
 * @param repeats how often it was repeated already.
 */
export function retryDelay(retryAfter: string | null, repeats: number): number | null {
  const asked = retryAfterMs(retryAfter, Date.now()) ?? 0;
  if (asked > LONGEST_PAUSE) return null;
  // Clients that failed together are not to come back together.
  const jitter = 0.5 + Math.random() / 2;
  return Math.max(asked, FIRST_PAUSE * 2 ** repeats * jitter);
}

/** @throws the reason of the signal, when that ends the wait. */
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
