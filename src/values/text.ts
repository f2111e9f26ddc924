/**
 * The letters whose simple case folding is not their small letter: forms of small letters, such as `ς` for `σ`, and Cherokee, whose
 * capitals came into Unicode first. And `ı`, which is an `i` here.
 */
const otherFolds = /[\u0345ıµſςϐϑϕϖϰϱϵᲀ-ᲈẛ\u1fbeﬅᏸ-ᏽꭰ-ꮿ]/g;

/**
 * The form in which texts are searched and sorted, the same for texts that differ only in case: NFC, then Unicode's simple case folding
 * letter by letter (statuses C and S of CaseFolding.txt) with `İ` and `ı` as `i`, then NFC.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const small = normalizeNfc(text).replaceAll("İ", "i").toLowerCase();
  return normalizeNfc(small.replace(otherFolds, findOtherFold));
}

function findOtherFold(letter: string): string {
  if (letter === "ﬅ") return "ﬆ";
  const capital = letter.toUpperCase();
  return /\p{Script=Cherokee}/u.test(capital) ? capital : capital.toLowerCase();
}

/**
 * Longer runs of combining marks are split, because no one writes that many on one letter and ordering them takes quadratic time.
 */
const SHORT = 100;

const shortRuns = new RegExp(`\\P{M}*\\p{M}{0,${SHORT}}`, "gu");

/** Looks at each mark once: it begins at the first of a run. */
const longRun = new RegExp(`(?<!\\p{M})\\p{M}{${SHORT + 1}}`, "u");

/** A text in NFC, in time that grows as its length does: a run of more than {@link SHORT} combining marks is taken in parts. */
export function normalizeNfc(text: string): string {
  if (isAscii(text)) return text;
  if (text.length <= SHORT || !longRun.test(text)) return text.normalize("NFC");
  return text.replace(shortRuns, (run) => run.normalize("NFC"));
}

/** False for what no adapter can keep to the letter: NUL and lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/**
 * True if the text has more than `max` Unicode code points in NFC. A text longer than four times the limit is refused before it is
 * normalized.
 */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max && isAscii(text)) return false;
  if (codePoints(text, max * 4) > max * 4) return true;
  return codePoints(normalizeNfc(text), max) > max;
}

/** Returns the number of Unicode code points of a text in NFC. */
export function countCodePoints(text: string): number {
  return codePoints(normalizeNfc(text), Number.POSITIVE_INFINITY);
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

export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false;
  return true;
}

const BEGINNING = 4;

/**
 * Returns a function that finds out whether a text contains one of many parts. Its time doesn't grow with their number where they begin
 * alike and are equally long, as ids of one kind do.
 */
export function createContainsAny(parts: readonly string[]): (text: string) => boolean {
  const groups = new Map<string, AlikeParts>();
  for (const part of parts) {
    const [beginning, { length }] = [part.slice(0, BEGINNING), part];
    const key = `${length} ${beginning}`;
    const group = groups.get(key) ?? { beginning, length, parts: new Set() };
    groups.set(key, group);
    group.parts.add(part);
  }
  const all = [...groups.values()];
  return (text) => all.some((group) => containsPart(text, group));
}

interface AlikeParts {
  readonly beginning: string;
  readonly length: number;
  readonly parts: Set<string>;
}

function containsPart(text: string, { beginning, length, parts }: AlikeParts): boolean {
  for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, at + 1))
    if (parts.has(text.slice(at, at + length))) return true;
  return false;
}
