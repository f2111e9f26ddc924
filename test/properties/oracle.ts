import type { TagFilter } from "loyalty-kit";

/*
 * The rules said once more, as plainly as they can be, to be compared with.
 */

/** Whether a user with these tags is found by the filter. */
export function isFound(slugs: ReadonlySet<string>, filter: TagFilter): boolean {
  const operands = [
    ...(filter.conditions ?? []).map(({ slug }) => slugs.has(slug)),
    ...(filter.filters ?? []).map((nested) => isFound(slugs, nested)),
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

/** The form in which texts are searched and sorted. */
export function foldText(text: string): string {
  return Array.from(text.normalize("NFC"), foldLetter).join("").normalize("NFC");
}

/** Returns the small letter of a letter's capital, where that is one letter. Cherokee folds to capitals. */
function foldLetter(letter: string): string {
  if (letter === "İ") return "i";
  if (letter === "ﬅ") return "ﬆ";
  const capital = letter.toUpperCase();
  const one = Array.from(capital).length === 1 ? capital : letter;
  return /\p{Script=Cherokee}/u.test(letter) ? one : one.toLowerCase();
}

/** Code point order: that of the UTF-32 forms. */
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

/** The pages that a list of this size is cut into, each with its number. */
export function splitIntoPages<T>(items: readonly T[], size: number): { number: number; content: T[] }[] {
  return Array.from({ length: Math.ceil(items.length / size) + 1 }, (_, number) => ({
    number,
    content: items.slice(number * size, (number + 1) * size),
  }));
}
