/** The form in which texts are searched and sorted, and emails are unique: NFC, lower-cased by JavaScript. */
export function fold(text: string): string {
  return composed(text).toLowerCase();
}

/** So many marks in a row are put in order together: nobody writes as many on one letter, and it takes quadratic time. */
const SHORT = 100;

const shortRuns = new RegExp(`\\P{M}*\\p{M}{0,${SHORT}}`, "gu");

/** A text in NFC, in time that grows as its length does: a run of more than {@link SHORT} combining marks is taken in parts. */
export function composed(text: string): string {
  if (isAscii(text)) return text;
  if (text.length <= SHORT) return text.normalize("NFC");
  return text.replace(shortRuns, (run) => run.normalize("NFC"));
}

/** False for what no adapter can keep to the letter: NUL and lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/**
 * True when the text has more than `max` Unicode code points in NFC. What is longer than four times the limit is refused before it is
 * normalized.
 */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max && isAscii(text)) return false;
  if (codePoints(text, max * 4) > max * 4) return true;
  return codePoints(composed(text), max) > max;
}

/** Returns the number of Unicode code points of a text in NFC. */
export function lengthOf(text: string): number {
  return codePoints(composed(text), Number.POSITIVE_INFINITY);
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
