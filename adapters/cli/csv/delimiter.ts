import { InvalidArgumentError } from "commander";

/** What spreadsheets separate fields with, the likeliest first. */
const candidates = [",", ";", "\t", "|"];

/** How long a text without a line end is looked at. */
const MOST_LENGTH = 1_048_576;

/** A CSV text and what separates its fields. */
export interface DelimitedText {
  readonly delimiter: string;
  readonly texts: AsyncIterable<string>;
}

/**
 * Finds out what separates the fields of a CSV text: what a first line `sep=;`, as Excel writes it, says; else the one
 * that stands most often in the line of headers.
 * @param given is taken where it is not `null`.
 */
export async function delimited(texts: AsyncIterable<string>, given: string | null): Promise<DelimitedText> {
  const iterator = texts[Symbol.asyncIterator]();
  let start = "";
  let isWhole = false;
  while (!isWhole && start.length < MOST_LENGTH && lineEnd(start) === null) {
    const next = await iterator.next();
    if (next.done) isWhole = true;
    else start += next.value;
  }
  const told = /^sep=([^"\r\n])(\r\n|\r|\n)/i.exec(start);
  const rest = told === null ? start : start.slice(told[0].length);
  const delimiter = given ?? told?.[1] ?? mostFrequent(start.slice(0, lineEnd(start) ?? undefined));
  return { delimiter, texts: joined(rest, iterator) };
}

/** The place of the first line end outside of quotes; `null` when there is none. */
function lineEnd(text: string): number | null {
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    // Blank lines before the headers are left out.
    else if (!quoted && (character === "\n" || character === "\r") && text.slice(0, at).trim() !== "")
      return at;
  }
  return null;
}

function mostFrequent(headers: string): string {
  const unquoted = headers.replace(/"[^"]*"/g, "");
  const counts = candidates.map((candidate) => unquoted.split(candidate).length);
  return candidates[counts.indexOf(Math.max(...counts))] ?? ",";
}

async function* joined(first: string, rest: AsyncIterator<string>): AsyncGenerator<string, void, undefined> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** The value of `--delimiter`. */
export function parseDelimiter(text: string): string {
  const delimiter = text === "\\t" ? "\t" : text;
  if (!/^[^"\r\n]$/.test(delimiter)) {
    throw new InvalidArgumentError("Give one character, or \\t for a tab.");
  }
  return delimiter;
}
