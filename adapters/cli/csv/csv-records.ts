import { finished } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import { CommandError, FAILED } from "../terminal/command-error.js";

/** How long a record may be before it is taken for one whose quote is never closed. */
const MOST_LENGTH = 1_048_576;

/**
 * The records of a CSV text in UTF-8 whose lines end in LF, CRLF or CR. A byte-order mark and blank lines are left out.
 * @throws {CommandError} saying where and why the text can't be read on, after the records before that.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
): AsyncGenerator<string[], void, undefined> {
  const place: Place = { line: 0, miscounted: 0 };
  let records: string[][] = [];
  const parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    skip_empty_lines: true,
    // Such a record is one that fails, and no reason to stop.
    relax_column_count: true,
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
  try {
    let unfinished = 0;
    for await (const text of utf8(chunks)) {
      const error = await new Promise((resolve) => parser.write(text, resolve));
      unfinished = records.length > 0 ? 0 : unfinished + text.length;
      yield* records;
      records = [];
      if (error instanceof Error) throw error;
      if (unfinished > MOST_LENGTH) throw tooLong(place);
    }
    parser.end();
    const error = await ended;
    yield* records;
    if (error !== null) throw error;
  } catch (error) {
    throw inWords(error, place);
  }
}

interface Place {
  /** The line in which the last record ended. */
  line: number;
  /** How many lines the parser is ahead: it counts a CRLF inside quotes twice. */
  miscounted: number;
}

async function* utf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

function quotedLineEnds(record: readonly string[]): number {
  let count = 0;
  for (const field of record) if (field.includes("\r\n")) count += field.split("\r\n").length - 1;
  return count;
}

function tooLong({ line }: Place): CommandError {
  return new CommandError(`the record after line ${line} is longer than 1 MiB; is a quote never closed?`);
}

/** What is wrong with the text, for whoever wrote it; any other error stays as it is. */
function inWords(error: unknown, place: Place): unknown {
  if (error instanceof CsvError) return new CommandError(csvProblem(error, place), FAILED, { cause: error });
  if (error instanceof TypeError && "code" in error && error.code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
    const message = `the text after line ${place.line} is not UTF-8; save the file as UTF-8`;
    return new CommandError(message, FAILED, { cause: error });
  }
  return error;
}

function csvProblem({ code, message, lines }: CsvError, before: Place): string {
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
