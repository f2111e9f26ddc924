import { cellText } from "./cells.js";
import type { CsvColumn } from "./columns.js";
import { CsvParser } from "./parser.js";
import { WrongFile } from "./records.js";

/** The characters that spreadsheets separate fields with, the likeliest first. */
export const delimiters = [",", ";", "\t", "|"];

/** Returns what a header stands for; `null` for nothing. */
export type ReadHeader = (header: string) => CsvColumn;

/**
 * Finds out what separates the fields of a CSV text: what a first line `sep=;`, as Excel writes it, says; else the one by
 * which most headers are known.
 * @param start of the text, with the line of headers at least.
 * @returns the delimiter, and the text without a line that only names it.
 * @throws {WrongFile} if two are as likely.
 */
export function detectDelimiter(
  start: string,
  columnOf: ReadHeader,
): { readonly delimiter: string; readonly rest: string } {
  const [line, delimiter] = namedDelimiter.exec(start) ?? [];
  if (line !== undefined && delimiter !== undefined) return { delimiter, rest: start.slice(line.length) };
  return { delimiter: likeliest(start.slice(0, headersEnd(start) ?? undefined), columnOf), rest: start };
}

/** The text without a first line that only names the delimiter. */
export function withoutDelimiterLine(start: string): string {
  return start.replace(namedDelimiter, "");
}

const namedDelimiter = /^sep=([^"\r\n])(?:\r\n|\r|\n)/i;

/** The place of the line end behind the headers, outside of quotes; `null` if there is none. */
export function headersEnd(text: string): number | null {
  let isQuoted = false;
  let isFilled = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    // Lines of empty cells before the headers are left out.
    else if (!isQuoted && isFilled && /[\r\n]/.test(character)) return at;
    else isFilled ||= /[^\s,;|]/.test(character);
  }
  return null;
}

function likeliest(text: string, columnOf: ReadHeader): string {
  const all = delimiters.map((delimiter) => {
    const headers = headersBy(delimiter, text);
    const columns = headers.map(columnOf).filter((column) => column !== null);
    return { delimiter, fields: headers.length, known: columns.length, hasEmail: columns.includes("email") };
  });
  const withEmail = all.filter(({ hasEmail }) => hasEmail);
  const rated = mostBy(withEmail.length > 0 ? withEmail : all, ({ known }) => known);
  const [first] = mostBy(rated, ({ fields }) => fields);
  if (first === undefined || first.known === 0 || first.fields === 1) return first?.delimiter ?? ",";
  if (rated.length === 1) return first.delimiter;
  throw new WrongFile({ code: "delimiter_unknown", delimiters: rated.map(({ delimiter }) => delimiter) });
}

function mostBy<Item>(items: readonly Item[], measure: (item: Item) => number): Item[] {
  const most = Math.max(...items.map(measure));
  return items.filter((item) => measure(item) === most);
}

/** The headers of a text with this delimiter; none where that puts quotes into fields. */
function headersBy(delimiter: string, text: string): string[] {
  const parser = new CsvParser(delimiter);
  try {
    const records = [...parser.read(text), ...parser.end()].map(({ cells }) => cells.map(cellText));
    return records.find((cells) => cells.some((cell) => cell !== "")) ?? [];
  } catch (error) {
    if (error instanceof WrongFile) return [];
    throw error;
  }
}
