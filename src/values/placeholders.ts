/** Words in braces for the customer's values: `{name}`, and the others for one of the customer's cards. */
export const placeholders = ["name", "card", "stamps", "toGo", "rewards"] as const;

export type Placeholder = (typeof placeholders)[number];

/** The values that placeholders of a text stand for; `null` and the empty string are left out of it. */
export type PlaceholderValues = { readonly [Name in Placeholder]: string | number | null };

const form = /\{([A-Za-z]+)\}/g;
/** Looked for from the first of its spaces alone: from each of them, a long run of spaces would take quadratic time. */
const gaps = /(?<! ) *\0[ \0]*/g;

const known: ReadonlySet<string> = new Set(placeholders);

export function isPlaceholder(name: string): name is Placeholder {
  return known.has(name);
}

/** The names between braces that consist of letters, each once, known or not. All other braces are only braces. */
export function findPlaceholderNames(text: string): string[] {
  return [...new Set([...text.matchAll(form)].map(([, name = ""]) => name))];
}

/** Stands where a value is empty. No stored text has it. */
const EMPTY = "\0";

/**
 * Fills a text in. Values are taken as they are: what stands in braces in them is not filled in again. Where one is empty, the
 * spaces around it become one, and none at the ends of a line and before a mark such as a comma that stood right behind it. Line
 * breaks and other control characters of values become spaces.
 */
export function fillPlaceholders(text: string, values: PlaceholderValues): string {
  return text
    .replace(form, (whole: string, name: string) =>
      isPlaceholder(name) ? plain(String(values[name] ?? "")) || EMPTY : whole,
    )
    .replace(gaps, (gap: string, at: number, line: string) => {
      const next = line[at + gap.length];
      const hasSpace = gap.endsWith(" ") || (gap.includes(" ") && !isMark(next));
      return hasSpace && !isEnd(line[at - 1]) && !isEnd(next) ? " " : "";
    });
}

/** A value on one line, with single spaces. */
function plain(value: string): string {
  return value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

function isEnd(character: string | undefined): boolean {
  return character === undefined || character === "\n";
}

function isMark(character: string | undefined): boolean {
  return character !== undefined && ",.;:!?…،؛؟、。".includes(character);
}
