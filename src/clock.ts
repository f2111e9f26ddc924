/** Milliseconds since the Unix epoch. Expiry, timestamps and tests all use the one that the host injects. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** ISO 8601 in UTC with milliseconds, as every timestamp of the interface. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** The `updatedAt` of a real change: strictly later than the previous one, even within one millisecond. */
export function laterThan(previous: number, now: number): number {
  return Math.max(now, previous + 1);
}
