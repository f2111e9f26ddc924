/**
 * Time in milliseconds for which a call can safely be repeated with the same idempotency key. The server remembers keys for an hour
 * longer, which leaves a safety margin.
 */
export const IDEMPOTENCY_WINDOW_MS = 23 * 3_600_000;
