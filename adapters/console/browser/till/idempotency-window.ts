/** How long the server remembers an idempotency key, less an hour as a safety margin, in milliseconds. */
export const IDEMPOTENCY_WINDOW_MS = 23 * 3_600_000;
