/** What a store has counted of a key. */
export interface RateWindow {
  /** How many requests there were in the window so far, this one included. */
  readonly requests: number;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

/** Where the requests of tokens, and of all tokens of an organization, are counted. */
export interface RateLimitStore {
  /**
   * Counts one request in the key's window: a fixed one, which begins with the first request when there is none.
   * Of requests at the same time, from whichever process, no two get the same number.
   * @param key at most 64 characters; a hash: never a token itself, nor the name of an organization.
   * @param seconds how long a window is that begins now.
   */
  count(key: string, seconds: number): Promise<RateWindow>;
}

/** Whole seconds, and never none: who asks again after them finds the window over. */
export function secondsLeft({ msLeft }: RateWindow): number {
  return Math.max(Math.ceil(msLeft / 1_000), 1);
}
