/**
 * The current form and the one of RFC 850, which end with `GMT`, or the one of C's `asctime`, which is in GMT without saying so.
 */
const form =
  /^[A-Z][a-z]+(, \d\d[ -][A-Z][a-z]+[ -]\d{2,4} [\d:]{8} GMT| [A-Z][a-z]+ [ \d]\d [\d:]{8} \d{4})$/;

/**
 * Reads a date of a header in any of its three forms (RFC 9110, section 5.6.7). `Date.parse` alone finds a year in `3600.5`, and a
 * month in `-5`.
 * @returns milliseconds since the Unix epoch; `null` for anything else.
 */
export function httpDate(text: string): number | null {
  if (!form.test(text)) return null;
  const at = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : at;
}

/**
 * Reads a `Retry-After` (RFC 9110, section 10.2.3), in seconds or as a date.
 * @param text the header; `null` or `undefined` if there was none.
 * @returns milliseconds from now, which may be infinite; `null` for none, or for any other text.
 */
export function retryAfterMs(text: string | null | undefined, now: number): number | null {
  if (text === null || text === undefined) return null;
  if (/^[0-9]+$/.test(text)) return Number(text) * 1_000;
  const at = httpDate(text);
  return at === null ? null : Math.max(0, at - now);
}
