/**
 * The names of placeholders, which are written in braces in message text. `{name}` stands for the customer's name, and all other
 * placeholders stand for values from one of the customer's cards.
 */
export const placeholders = ["name", "card", "stamps", "toGo", "rewards", "points"] as const;

export type Placeholder = (typeof placeholders)[number];

/** The values to insert for placeholders. A placeholder whose value is `null` or an empty string is removed. */
export type PlaceholderValues = { readonly [Name in Placeholder]: string | number | null };

const placeholderPattern = /\{([A-Za-z]+)\}/g;
/** Matches only from the first space of a run. Trying each space of a long run would take quadratic time. */
const gaps = /(?<! ) *\0[ \0]*/g;

const placeholderNames: ReadonlySet<string> = new Set(placeholders);

export function isPlaceholder(name: string): name is Placeholder {
  return placeholderNames.has(name);
}

/**
 * Returns the distinct names in braces that consist only of letters, including names that aren't placeholders. Any other braces
 * count as plain text.
 */
export function findPlaceholderNames(text: string): string[] {
  return [...new Set([...text.matchAll(placeholderPattern)].map(([, name = ""]) => name))];
}

/** Marks where a value is empty. No stored text contains it. */
const EMPTY = "\0";

/**
 * Replaces the placeholders in text with their values. Braces inside a value are not replaced again. If a value is empty, the
 * spaces around the placeholder become one space, or are removed at the start or end of a line and before a punctuation mark that
 * directly followed the placeholder. Line breaks and other control characters in values become spaces.
 * @param language the text's language as a BCP 47 tag, in which numbers are written.
 */
export function fillPlaceholders(text: string, values: PlaceholderValues, language: string): string {
  return text
    .replace(placeholderPattern, (whole: string, name: string) =>
      isPlaceholder(name) ? formatValue(values[name], language) || EMPTY : whole,
    )
    .replace(gaps, (gap: string, at: number, line: string) => {
      const next = line[at + gap.length];
      const hasSpace = gap.endsWith(" ") || (gap.includes(" ") && !isPunctuation(next));
      return hasSpace && !isEnd(line[at - 1]) && !isEnd(next) ? " " : "";
    });
}

/** Returns a value on one line, with single spaces. A number has the separators of the language. */
function formatValue(value: string | number | null, language: string): string {
  if (typeof value === "number") return value.toLocaleString(language);
  return (value ?? "").replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

function isEnd(character: string | undefined): boolean {
  return character === undefined || character === "\n";
}

function isPunctuation(character: string | undefined): boolean {
  return character !== undefined && ",.;:!?…،؛؟、。".includes(character);
}
