/** The form in which texts are searched and sorted, and emails are unique: NFC, lower-cased by JavaScript. */
export function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** False for what no adapter can keep to the letter: NUL and lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/**
 * True when the text has more than `max` Unicode code points in NFC. What is longer than four times the limit
 * is refused before it is normalized, because normalizing reordering marks takes quadratic time.
 */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max && isAscii(text)) return false;
  if (codePoints(text, max * 4) > max * 4) return true;
  return codePoints(text.normalize("NFC"), max) > max;
}

/** Returns the number of Unicode code points in NFC of a text that {@link isLongerThan} has measured. */
export function lengthOf(text: string): number {
  return isAscii(text) ? text.length : codePoints(text.normalize("NFC"), Number.POSITIVE_INFINITY);
}

/** Counts code points, and stops soon after `enough`. */
function codePoints(text: string, enough: number): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count > enough) break;
  }
  return count;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false;
  return true;
}
