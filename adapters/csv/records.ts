import { guarded } from "../../src/values/formula-guard.js";
import type { CsvFault } from "./faults.js";

/** The options by which csv-parse reads a file of customers. */
export const reading = {
  record_delimiter: ["\r\n", "\n", "\r"],
  skip_empty_lines: true,
  // A record with too many or too few fields is one that fails, and no reason to stop.
  relax_column_count: true,
};

/** The options by which csv-stringify writes a file of customers: each line end is in quotes. */
export const writing = { quoted_match: /[\r\n]/ };

/** Records as they are written: no cell is run by a spreadsheet. */
export function guardedRecords(records: readonly (readonly string[])[]): string[][] {
  return records.map((record) => record.map(guarded));
}

/** Says why a record can't be read by so many columns; `null` when it can. */
export function miscounted({ length }: readonly string[], columns: number): CsvFault | null {
  // Nobody knows which field is under which header.
  return length === columns ? null : { code: "miscounted", fields: length, columns };
}

/** A CSV text that can't be read or written, with the reason in words. */
export class CsvProblem extends Error {}
