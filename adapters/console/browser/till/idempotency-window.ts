/** The time for which the server knows an idempotency key, with an hour to spare, in milliseconds. */
export const IDEMPOTENCY_WINDOW_MS = 23 * 3_600_000;
