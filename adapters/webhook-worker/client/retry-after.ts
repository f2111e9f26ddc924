/**
 * How long an answer asks to wait, in milliseconds: `Retry-After` as seconds or as a date (RFC 9110, section 10.2.3);
 * `null` when it is neither.
 */
export function retryAfterMs(value: string, now: number): number | null {
  if (/^[0-9]{1,9}$/.test(value)) return Number(value) * 1_000;
  const date = value.endsWith(" GMT") ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
