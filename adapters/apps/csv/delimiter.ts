import { cellText } from "./cells.js";
import type { CsvColumn } from "./columns.js";
import { CsvParser } from "./parser.js";
import { WrongFile } from "./records.js";

/** The delimiters that spreadsheets use, most common first. */
export const delimiters = [",", ";", "\t", "|"];

/** Returns the column that a header refers to, or `null` if the header is unknown. */
export type ReadHeader = (header: string) => CsvColumn;

/**
 * Detects the delimiter in CSV text. If the first line declares the delimiter, such as Excel's `sep=;`, uses that delimiter.
 * Otherwise, picks the delimiter that splits the header line into the most known headers.
 * @param start the beginning of the text, through at least the end of the header line.
 * @returns the delimiter, and the text without the declaration.
 * @throws {WrongFile} if several delimiters are equally likely.
 */
export function detectDelimiter(
  start: string,
  columnOf: ReadHeader,
): { readonly delimiter: string; readonly rest: string } {
  const [line, delimiter] = namedDelimiter.exec(start) ?? [];
  if (line !== undefined && delimiter !== undefined) return { delimiter, rest: start.slice(line.length) };
  return { delimiter: pickLikeliest(start.slice(0, headersEnd(start) ?? undefined), columnOf), rest: start };
}

/** Removes the first line if it declares the delimiter, such as `sep=;`. */
export function withoutDelimiterLine(start: string): string {
  return start.replace(namedDelimiter, "");
}

const namedDelimiter = /^sep=([^"\r\n])(?:\r\n|\r|\n)/i;

/**
 * Returns the offset of the line break that ends the header line, or `null` if there is none. Skips line breaks inside quotes and
 * lines of empty cells before the headers.
 */
export function headersEnd(text: string): number | null {
  let isQuoted = false;
  let isFilled = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    // Skip lines of empty cells before the headers.
    else if (!isQuoted && isFilled && /[\r\n]/.test(character)) return at;
    else isFilled ||= /[^\s,;|]/.test(character);
  }
  return null;
}

function pickLikeliest(text: string, columnOf: ReadHeader): string {
  const all = delimiters.map((delimiter) => {
    const headers = readHeaders(delimiter, text);
    const columns = headers.map(columnOf).filter((column) => column !== null);
    return { delimiter, fields: headers.length, known: columns.length, hasEmail: columns.includes("email") };
  });
  const withEmail = all.filter(({ hasEmail }) => hasEmail);
  const rated = pickMost(withEmail.length > 0 ? withEmail : all, ({ known }) => known);
  const [first] = pickMost(rated, ({ fields }) => fields);
  if (first === undefined || first.known === 0 || first.fields === 1) return first?.delimiter ?? ",";
  if (rated.length === 1) return first.delimiter;
  throw new WrongFile({ code: "delimiter_unknown", delimiters: rated.map(({ delimiter }) => delimiter) });
}

function pickMost<Item>(items: readonly Item[], measure: (item: Item) => number): Item[] {
  const most = Math.max(...items.map(measure));
  return items.filter((item) => measure(item) === most);
}

/** Splits the headers by the given delimiter. Returns an empty list if quotes would end up inside fields. */
function readHeaders(delimiter: string, text: string): string[] {
  const parser = new CsvParser(delimiter);
  try {
    const records = [...parser.read(text), ...parser.end()].map(({ cells }) => cells.map(cellText));
    return records.find((cells) => cells.some((cell) => cell !== "")) ?? [];
  } catch (error) {
    if (error instanceof WrongFile) return [];
    throw error;
  }
}
