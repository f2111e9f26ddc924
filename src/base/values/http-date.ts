/** The preferred format and the RFC 850 format, which both end with `GMT`, or the `asctime` format, which is implicitly in GMT. */
const pattern =
  /^[A-Z][a-z]+(, \d\d[ -][A-Z][a-z]+[ -]\d{2,4} [\d:]{8} GMT| [A-Z][a-z]+ [ \d]\d [\d:]{8} \d{4})$/;

/**
 * Parses an HTTP date in any of its three formats (RFC 9110, section 5.6.7). `Date.parse` alone would read `3600.5` as a year and
 * `-5` as a month.
 * @returns the time in milliseconds since the Unix epoch, or `null` if the text isn't an HTTP date.
 */
export function httpDate(text: string): number | null {
  if (!pattern.test(text)) return null;
  const at = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : at;
}

/**
 * Parses a `Retry-After` header, which contains either seconds or a date (RFC 9110, section 10.2.3).
 * @param text the header's value, or `null` or `undefined` if the header is missing.
 * @returns the delay from now in milliseconds, which can be `Infinity`, or `null` if the header is missing or malformed.
 */
export function retryAfterMs(text: string | null | undefined, now: number): number | null {
  if (text === null || text === undefined) return null;
  if (/^[0-9]+$/.test(text)) return Number(text) * 1_000;
  const at = httpDate(text);
  return at === null ? null : Math.max(0, at - now);
}
