import { finished } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import { isWorkbook, lineEnd, separated } from "./delimiter.js";
import { WrongEncoding } from "./encoding.js";
import { CsvProblem, reading } from "./records.js";

/** A longer record is taken for one whose quote is never closed, and so much of a text without a line end is looked at. */
const MOST_LENGTH = 1_048_576;

/**
 * Reads the records of a CSV text whose lines end in LF, CRLF or CR. Blank lines are left out.
 * @param given what separates the fields; `null` to find it out.
 * @throws {CsvProblem} saying where and why the text can't be read on, after the records before that.
 */
export async function* csvRecords(
  text: AsyncIterable<string>,
  given: string | null,
): AsyncGenerator<string[], void, undefined> {
  const place: Place = { line: 0, miscounted: 0 };
  try {
    const { texts, delimiter } = await delimited(text, given);
    yield* parsed(texts, delimiter, place);
  } catch (error) {
    throw inWords(error, place);
  }
}

/** Finds out what separates the fields of a CSV text. @returns that, and the text again. */
async function delimited(
  texts: AsyncIterable<string>,
  given: string | null,
): Promise<{ readonly delimiter: string; readonly texts: AsyncIterable<string> }> {
  const iterator = texts[Symbol.asyncIterator]();
  let start = "";
  let isWhole = false;
  while (!isWhole && start.length < MOST_LENGTH && lineEnd(start) === null) {
    const next = await iterator.next();
    if (next.done) isWhole = true;
    else start += next.value;
  }
  if (isWorkbook(start)) throw new CsvProblem("this is a workbook: save its sheet as CSV, and import that");
  const { delimiter, rest } = separated(start);
  return { delimiter: given ?? delimiter, texts: joined(rest, iterator) };
}

async function* joined(first: string, rest: AsyncIterator<string>): AsyncGenerator<string, void, undefined> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* parsed(
  texts: AsyncIterable<string>,
  delimiter: string,
  place: Place,
): AsyncGenerator<string[], void, undefined> {
  let records: string[][] = [];
  const parser = parse({
    delimiter,
    ...reading,
    // Kept here instead of being read from the stream, which drops its last ones when the next one is wrong.
    on_record(record: string[], { lines }) {
      records.push(record);
      place.miscounted += quotedLineEnds(record);
      place.line = lines - place.miscounted;
      return null;
    },
  });
  const ended = finished(parser, { readable: false }).then(
    () => null,
    (error: unknown) => error,
  );
  let unfinished = 0;
  for await (const text of texts) {
    const error = await new Promise((resolve) => parser.write(text, resolve));
    unfinished = records.length > 0 ? 0 : unfinished + text.length;
    yield* records;
    records = [];
    if (error instanceof Error) throw error;
    if (unfinished > MOST_LENGTH) {
      throw new CsvProblem(
        `the record after line ${place.line} is longer than 1 MiB; is a quote never closed?`,
      );
    }
  }
  parser.end();
  const error = await ended;
  yield* records;
  if (error !== null) throw error;
}

interface Place {
  /** The line in which the last record ended. */
  line: number;
  /** The parser is so many lines ahead: it counts a CRLF inside quotes twice. */
  miscounted: number;
}

function quotedLineEnds(record: readonly string[]): number {
  let count = 0;
  for (const field of record) if (field.includes("\r\n")) count += field.split("\r\n").length - 1;
  return count;
}

/** Says what is wrong with the text, for whoever wrote it; any other error stays as it is. */
function inWords(error: unknown, place: Place): unknown {
  if (error instanceof CsvError) return new CsvProblem(wordsOf(error, place), { cause: error });
  if (error instanceof WrongEncoding) {
    const message = `the text after line ${place.line} is ${error.message}; save the file as UTF-8`;
    return new CsvProblem(message, { cause: error });
  }
  return error;
}

function wordsOf({ code, message, lines }: CsvError, before: Place): string {
  const line = Number(lines) - before.miscounted;
  switch (code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return `a quote after line ${before.line} is never closed`;
    case "CSV_INVALID_CLOSING_QUOTE":
    case "INVALID_OPENING_QUOTE":
      return `line ${line} has a quote inside a field; such a field has to be quoted, and its quotes doubled`;
    default:
      return message;
  }
}
