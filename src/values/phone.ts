/** Longest phone number that a customer can have, in characters. */
const MAX_LENGTH = 20;

/** Longest text that is looked at, so that its parts take no time to speak of. */
const MAX_TYPED = 100;

/** Fewest and most digits: an extension of a small town; an international number of 15 digits behind `00`. */
const MIN_DIGITS = 5;
const MAX_DIGITS = 17;

/** A number as people write it, after its characters are converted to ASCII. */
const writtenNumber = /^\(?\+?[ (]*[0-9][0-9 ()./-]*$/;

/**
 * Reads a phone number as people type it: digits of any script, spaces, brackets, slashes, dots and dashes, and invisible
 * characters.
 * @returns the number in ASCII, at most 20 characters; `null` if the text is not a number.
 */
export function phoneNumber(text: string): string | null {
  // NFKC would make two numbers of a fraction.
  if (text.length > MAX_TYPED || /\p{No}/u.test(text)) return null;
  const plain = text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/[\p{Pd}\u2212]/gu, "-")
    .replace(/[\u2044\u2215\\]/g, "/")
    .replace(/[\u00B7\u2022\u2027\u30FB]/g, ".")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(/^[ ./-]+|[ ./-]+$/g, "");
  if (!writtenNumber.test(plain)) return null;
  const digits = plain.replace(/[^0-9]/g, "").length;
  if (digits < MIN_DIGITS || digits > MAX_DIGITS) return null;
  return plain.length <= MAX_LENGTH ? plain : withoutSigns(plain);
}

/** A digit of any script in ASCII. Unicode has the ten digits of a script in a row, the zero first. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}

/** The number without separators, and without the zero in brackets that is left out when calling from abroad. */
function withoutSigns(number: string): string {
  const isAbroad = /^\(?(?:\+|00)/.test(number);
  const dialed = isAbroad ? number.replace(/\(\s*0\s*\)/, "") : number;
  return (number.includes("+") ? "+" : "") + dialed.replace(/[^0-9]/g, "");
}
