/** Prefix of the codes for units that have no short code. */
const LONG = "zz";

/** Codes for the first 128 UTF-16 units. No code is a prefix of another, so a sequence of codes is unambiguous. */
const codes: readonly string[] = Array.from({ length: 128 }, (_, unit) => shortCode(unit));

/**
 * Returns a string's index words, in order. Each word consists of a prefix for the organization and three consecutive UTF-16 code
 * units (a trigram). Different trigrams have different words, and the words of a substring appear consecutively among the words
 * of the whole string, so a phrase query matches exactly the strings that contain the term. Returns an empty string if the text
 * has fewer than three code units.
 */
export function buildTokens(organization: number, text: string): string {
  const prefix = formatPrefix(organization);
  let words = "";
  let [first, second] = [getCode(text, 0), getCode(text, 1)];
  for (let at = 2; at < text.length; at += 1) {
    const third = getCode(text, at);
    words += `${prefix}${first}${second}${third} `;
    [first, second] = [second, third];
  }
  return words;
}

/** Formats the organization's number with its length in front, so that no prefix is the beginning of another. */
function formatPrefix(organization: number): string {
  const digits = organization.toString(36);
  return digits.length.toString(36) + digits;
}

function getCode(text: string, at: number): string {
  const unit = text.charCodeAt(at);
  return codes[unit] ?? longCode(unit);
}

/**
 * Returns the code of a unit. Digits and lowercase letters except z stand for themselves; other common characters are two
 * characters that start with z.
 */
function shortCode(unit: number): string {
  const character = String.fromCharCode(unit);
  if (/[a-y0-9]/.test(character)) return character;
  const common = "zA @.-_+'/()&,:%\"#".indexOf(character);
  return common < 0 ? longCode(unit) : `z${common.toString(36)}`;
}

/** Returns the long code of a unit. Four base-36 digits can hold every unit. */
function longCode(unit: number): string {
  return LONG + unit.toString(36).padStart(4, "0");
}
