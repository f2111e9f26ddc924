/**
 * Letters whose simple case folding differs from their lowercase form: variants of lowercase letters, such as `ς` for `σ`, and
 * Cherokee, whose capitals came into Unicode first. Also `ı`, which folds to `i` here.
 */
const otherFolds = /[\u0345ıµſςϐϑϕϖϰϱϵᲀ-ᲈẛ\u1fbeﬅᏸ-ᏽꭰ-ꮿ]/g;

/**
 * Returns the form of a string that is used for searching and sorting. Strings that differ only in case have the same form.
 * Normalizes to NFC, applies Unicode's simple case folding to each letter (statuses C and S in CaseFolding.txt) with `İ` and `ı`
 * folded to `i`, and normalizes to NFC again.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const lowercased = normalizeNfc(text).replaceAll("İ", "i").toLowerCase();
  return normalizeNfc(lowercased.replace(otherFolds, findOtherFold));
}

function findOtherFold(letter: string): string {
  if (letter === "ﬅ") return "ﬆ";
  const capital = letter.toUpperCase();
  return /\p{Script=Cherokee}/u.test(capital) ? capital : capital.toLowerCase();
}

/**
 * Maximum length of a run of combining marks that is normalized as a whole. Longer runs are split, because ordering the marks takes
 * quadratic time and real text never has this many on one letter.
 */
const MAX_MARKS = 100;

const shortRuns = new RegExp(`\\P{M}*\\p{M}{0,${MAX_MARKS}}`, "gu");

/** Visits each mark once, because it matches only from the start of a run. */
const longRun = new RegExp(`(?<!\\p{M})\\p{M}{${MAX_MARKS + 1}}`, "u");

/**
 * Normalizes text to NFC in linear time. To keep it linear, runs of more than {@link MAX_MARKS} combining marks are normalized in
 * parts.
 */
export function normalizeNfc(text: string): string {
  if (isAscii(text)) return text;
  if (text.length <= MAX_MARKS || !longRun.test(text)) return text.normalize("NFC");
  return text.replace(shortRuns, (run) => run.normalize("NFC"));
}

/** Returns whether every storage adapter can store a string unchanged. Some adapters can't store NUL or lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/**
 * Returns whether a string has more than `max` Unicode code points after NFC normalization. A string with more than `4 * max` code
 * points counts as too long without being normalized.
 */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max && isAscii(text)) return false;
  if (codePoints(text, max * 4) > max * 4) return true;
  return codePoints(normalizeNfc(text), max) > max;
}

/** Counts the Unicode code points in a string after NFC normalization. */
export function countCodePoints(text: string): number {
  return codePoints(normalizeNfc(text), Number.POSITIVE_INFINITY);
}

/** Counts code points, stopping soon after `limit`. */
function codePoints(text: string, limit: number): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count > limit) break;
  }
  return count;
}

export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false;
  return true;
}

const PREFIX_LENGTH = 4;

/**
 * Returns a function that tests whether text contains any of the given strings. If all of the strings have the same prefix and
 * length, such as IDs of the same kind, the time per test doesn't depend on the number of strings.
 */
export function createContainsAny(parts: readonly string[]): (text: string) => boolean {
  const groups = new Map<string, PrefixGroup>();
  for (const part of parts) {
    const [prefix, { length }] = [part.slice(0, PREFIX_LENGTH), part];
    const key = `${length} ${prefix}`;
    const group = groups.get(key) ?? { prefix, length, parts: new Set() };
    groups.set(key, group);
    group.parts.add(part);
  }
  const all = [...groups.values()];
  return (text) => all.some((group) => containsPart(text, group));
}

interface PrefixGroup {
  readonly prefix: string;
  readonly length: number;
  readonly parts: Set<string>;
}

function containsPart(text: string, { prefix, length, parts }: PrefixGroup): boolean {
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1))
    if (parts.has(text.slice(at, at + length))) return true;
  return false;
}

/**
 * Compares strings by code point, for sorting. JavaScript's `<` and `>` compare UTF-16 code units, which would sort U+10000 before
 * U+E000.
 */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Ranks surrogates, which encode the code points from U+10000 on, after all other units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
