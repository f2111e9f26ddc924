import type { TagFilter } from "loyalty-kit";

/*
 * The rules again, as plain as possible, to compare with.
 */

/** Returns whether the filter finds a user with these tags. */
export function matchesFilter(slugs: ReadonlySet<string>, filter: TagFilter): boolean {
  const operands = [
    ...(filter.conditions ?? []).map(({ slug }) => slugs.has(slug)),
    ...(filter.filters ?? []).map((nested) => matchesFilter(slugs, nested)),
  ];
  switch (filter.operator) {
    case "AND":
      return operands.every(Boolean);
    case "OR":
      return operands.some(Boolean);
    case "NOT":
      return !operands.some(Boolean);
  }
}

/** Returns the form in which texts are searched and sorted. */
export function foldText(text: string): string {
  return Array.from(text.normalize("NFC"), foldLetter).join("").normalize("NFC");
}

/** Returns the lower case of a letter's upper case, if that is one letter. Cherokee folds to upper case. */
function foldLetter(letter: string): string {
  if (letter === "İ") return "i";
  if (letter === "ﬅ") return "ﬆ";
  const capital = letter.toUpperCase();
  const one = Array.from(capital).length === 1 ? capital : letter;
  return /\p{Script=Cherokee}/u.test(letter) ? one : one.toLowerCase();
}

/** Compares in code point order, which is the order of UTF-32. */
export function compareCodePoints(a: string, b: string): number {
  const [left, right] = [Array.from(a, getCodePoint), Array.from(b, getCodePoint)];
  for (const [at, point] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    if (point !== other) return point - other;
  }
  return left.length - right.length;
}

function getCodePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** Splits a list into numbered pages of this size, with one empty page at the end. */
export function splitIntoPages<T>(items: readonly T[], size: number): { number: number; content: T[] }[] {
  return Array.from({ length: Math.ceil(items.length / size) + 1 }, (_, number) => ({
    number,
    content: items.slice(number * size, (number + 1) * size),
  }));
}
