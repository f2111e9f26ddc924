import { cellText } from "./cells.js";
import { UnknownEncoding } from "./code-page.js";
import { detectDelimiter, headersEnd, type ReadHeader, withoutDelimiterLine } from "./delimiter.js";
import { decodeText } from "./encoding.js";
import { type Encoding, WrongEncoding } from "./encodings.js";
import type { CsvFault } from "./faults.js";
import { CsvParser, type CsvRecord } from "./parser.js";
import { WrongFile } from "./records.js";

/** Maximum number of characters to read when looking for the end of the headers. */
const MAX_START = 1_048_576;

/** The format of a CSV file. If a field is `null`, its value is detected from the file. */
export interface CsvForm {
  readonly encoding: Encoding | null;
  readonly delimiter: string | null;
}

/**
 * Yields the records in a CSV file, starting with the headers. Skips records that contain only empty cells.
 * @param columnOf a function that returns the column that a header refers to, used to detect the delimiter.
 * @throws {WrongFile} if the file can't be read. All records before the fault are yielded first.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Uint8Array>,
  { encoding, delimiter }: CsvForm,
  columnOf: ReadHeader,
): AsyncGenerator<CsvRecord, void, undefined> {
  const texts = decodeText(withoutWorkbook(chunks), encoding);
  let parser = new CsvParser(",");
  try {
    const start = await readStart(texts);
    const found =
      delimiter === null
        ? detectDelimiter(start, columnOf)
        : { delimiter, rest: withoutDelimiterLine(start) };
    parser = new CsvParser(found.delimiter);
    yield* filled(parser.read(found.rest));
    for await (const text of texts) yield* filled(parser.read(text));
    yield* filled(parser.end());
  } catch (error) {
    const fault = toFault(error, parser.lastLine);
    throw fault === null ? error : new WrongFile(fault, { cause: error });
  }
}

function toFault(error: unknown, line: number): CsvFault | null {
  if (error instanceof UnknownEncoding) return { code: "encoding_unknown", readings: error.readings };
  return error instanceof WrongEncoding ? { code: "encoding_wrong", encoding: error.encoding, line } : null;
}

/**
 * Passes a file's bytes through.
 * @throws {WrongFile} if the file is a workbook.
 */
async function* withoutWorkbook(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && isWorkbook(chunk)) throw new WrongFile({ code: "workbook" });
    isFirst = false;
    yield chunk;
  }
}

/** Returns whether a file is an Excel or LibreOffice workbook, based on its first bytes. */
function isWorkbook(start: Uint8Array): boolean {
  const beginsWith = (...bytes: readonly number[]) => bytes.every((byte, at) => start[at] === byte);
  return beginsWith(0x50, 0x4b, 3, 4) || beginsWith(0xd0, 0xcf, 0x11, 0xe0);
}

/** Reads text up to the end of the header line. */
async function readStart(texts: AsyncIterator<string>): Promise<string> {
  let start = "";
  while (start.length < MAX_START && headersEnd(start) === null) {
    const next = await texts.next();
    if (next.done) break;
    start += next.value;
  }
  return start;
}

function* filled(records: Iterable<CsvRecord>): Generator<CsvRecord, void, undefined> {
  for (const record of records) if (record.cells.some((cell) => cellText(cell) !== "")) yield record;
}
