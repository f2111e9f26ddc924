/** Stands before the codes of units that have no short one. */
const LONG = "zz";

/** The codes of UTF-16 units. None is the beginning of another one, so a row of them can be read in one way only. */
const codes: readonly string[] = Array.from({ length: 128 }, (_, unit) => shortCode(unit));

/**
 * The words that the index has of a text, in its order: each three consecutive UTF-16 units, after the number of the
 * organization. Different pieces are different words, and the words of a part of the text stand in a row among its own: so
 * a phrase is in the index of a text when the term is in the text, and only then. None of a text of fewer units.
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

/** The number after how many digits it has, so that no prefix is the beginning of another one. */
function formatPrefix(organization: number): string {
  const digits = organization.toString(36);
  return digits.length.toString(36) + digits;
}

function getCode(text: string, at: number): string {
  const unit = text.charCodeAt(at);
  return codes[unit] ?? longCode(unit);
}

/** Letters and digits stand for themselves, except z; other frequent characters are two after a z. */
function shortCode(unit: number): string {
  const character = String.fromCharCode(unit);
  if (/[a-y0-9]/.test(character)) return character;
  const common = "zA @.-_+'/()&,:%\"#".indexOf(character);
  return common < 0 ? longCode(unit) : `z${common.toString(36)}`;
}

/** Four digits hold every unit. */
function longCode(unit: number): string {
  return LONG + unit.toString(36).padStart(4, "0");
}
