import { InvalidArgumentError } from "commander";
import { lineEnd, separated } from "../../csv/delimiter.js";

/** How long a text without a line end is looked at. */
const MOST_LENGTH = 1_048_576;

/** A CSV text and what separates its fields. */
export interface DelimitedText {
  readonly delimiter: string;
  readonly texts: AsyncIterable<string>;
}

/** Finds out what separates the fields of a CSV text. @param given is taken where it is not `null`. */
export async function delimited(texts: AsyncIterable<string>, given: string | null): Promise<DelimitedText> {
  const iterator = texts[Symbol.asyncIterator]();
  let start = "";
  let isWhole = false;
  while (!isWhole && start.length < MOST_LENGTH && lineEnd(start) === null) {
    const next = await iterator.next();
    if (next.done) isWhole = true;
    else start += next.value;
  }
  const { delimiter, rest } = separated(start);
  return { delimiter: given ?? delimiter, texts: joined(rest, iterator) };
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
