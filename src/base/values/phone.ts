/** Maximum length of a customer's phone number, in characters. */
const MAX_LENGTH = 20;

/** Maximum length of input that is parsed, so that parsing takes negligible time. */
const MAX_TYPED = 100;

/** Minimum and maximum number of digits: an extension in a small town, and a 15-digit international number after `00`. */
const MIN_DIGITS = 5;
const MAX_DIGITS = 17;

/** A phone number as people write it, after conversion to ASCII. */
const phonePattern = /^\(?\+?[ (]*[0-9][0-9 ()./-]*$/;

/**
 * Parses a phone number as people type it, with digits in any script, spaces, parentheses, slashes, dots, hyphens, or invisible
 * characters.
 * @returns the number in ASCII, at most 20 characters long, or `null` if the text isn't a phone number.
 */
export function phoneNumber(text: string): string | null {
  // NFKC would turn a fraction into two numbers.
  if (text.length > MAX_TYPED || /\p{No}/u.test(text)) return null;
  const normalized = text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/[\p{Pd}\u2212]/gu, "-")
    .replace(/[\u2044\u2215\\]/g, "/")
    .replace(/[\u00B7\u2022\u2027\u30FB]/g, ".")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(/^[ ./-]+|[ ./-]+$/g, "");
  if (!phonePattern.test(normalized)) return null;
  const digits = normalized.replace(/[^0-9]/g, "").length;
  if (digits < MIN_DIGITS || digits > MAX_DIGITS) return null;
  return normalized.length <= MAX_LENGTH ? normalized : withoutSigns(normalized);
}

/** Converts a digit of any script to ASCII. Unicode encodes each script's ten digits consecutively, starting with zero. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}

/** Returns the number without separators and without the trunk zero in parentheses, which callers from abroad leave out. */
function withoutSigns(number: string): string {
  const isInternational = /^\(?(?:\+|00)/.test(number);
  const dialed = isInternational ? number.replace(/\(\s*0\s*\)/, "") : number;
  return (number.includes("+") ? "+" : "") + dialed.replace(/[^0-9]/g, "");
}
