import { cellText } from "../../../csv/cells.js";
import { type CsvColumn, findHeaderFault, hasCards, parseHeader } from "../../../csv/columns.js";
import { needsOrder } from "../../../csv/dates.js";
import type { Reading } from "../../../csv/encodings.js";
import type { CsvFault } from "../../../csv/faults.js";
import type { CsvRecord } from "../../../csv/parser.js";
import { type CsvForm, csvRecords } from "../../../csv/reader.js";
import { WrongFile } from "../../../csv/records.js";

export interface CsvFile {
  readonly headers: readonly string[];
  /** The kind of data in each column. Columns with an unknown header contain metadata. */
  readonly columns: readonly CsvColumn[];
  readonly rows: readonly CsvRecord[];
  /** The first date, as written in the file, whose day and month can't be distinguished, or `null` if there is none. */
  readonly unclearDate: string | null;
}

/** The result of trying to read a CSV file, including any questions that the user must answer. */
export interface CsvReading {
  /** The parsed file, or `null` if the user must answer a question first or the file can't be read. */
  readonly file: CsvFile | null;
  /**
   * A sample word from the file as decoded with each possible encoding, or `null` if the user doesn't have to choose an encoding.
   */
  readonly readings: readonly Reading[] | null;
  /** The possible delimiters, or an empty array if the user doesn't have to choose one. */
  readonly delimiters: readonly string[];
  readonly fault: CsvFault | null;
}

const emptyReading: CsvReading = { file: null, readings: null, delimiters: [], fault: null };

const unknownForm: CsvForm = { encoding: null, delimiter: null };

/** Reads a CSV file. Uses the user's answers only if the encoding or delimiter can't be detected. */
export async function readFile(
  bytes: Uint8Array,
  answers: CsvForm,
  form = unknownForm,
  reading = emptyReading,
): Promise<CsvReading> {
  try {
    return { ...reading, file: await parseCsvFile(bytes, form) };
  } catch (error) {
    if (!(error instanceof WrongFile)) throw error;
    const { fault } = error;
    if (fault.code === "encoding_unknown") {
      const question = { ...reading, readings: fault.readings };
      const { encoding } = answers;
      return encoding === null ? question : readFile(bytes, answers, { ...form, encoding }, question);
    }
    if (fault.code === "delimiter_unknown") {
      const question = { ...reading, delimiters: fault.delimiters };
      const { delimiter } = answers;
      return delimiter === null ? question : readFile(bytes, answers, { ...form, delimiter }, question);
    }
    return { ...reading, fault };
  }
}

/**
 * Parses a CSV file that has a header row.
 * @throws {WrongFile} if the file can't be read. The error contains the reason.
 */
export async function parseCsvFile(bytes: Uint8Array, form: CsvForm): Promise<CsvFile> {
  const records: CsvRecord[] = [];
  for await (const record of csvRecords(yieldOnce(bytes), form, parseHeader)) records.push(record);
  const [headerRow, ...rows] = records;
  const headers = (headerRow?.cells ?? []).map(cellText);
  const columns = headers.map(
    (header) => parseHeader(header) ?? (header === "" ? null : { metadata: header }),
  );
  const fault = findHeaderFault(headers, columns);
  if (fault !== null) throw new WrongFile(fault);
  if (hasCards(columns)) throw new WrongFile({ code: "other_cards" });
  const consentAt = columns.indexOf("consentAt");
  const unclearDate = rows.map(({ cells }) => cellText(cells[consentAt] ?? "")).find(needsOrder) ?? null;
  return { headers, columns, rows, unclearDate };
}

async function* yieldOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}
