import { escapeFormula } from "../../../src/base/values/formula-guard.js";
import { type CsvFault, faultText } from "./faults.js";

/** Options for csv-stringify. They quote every cell that contains a line break. */
export const csvStringifyOptions = { quoted_match: /[\r\n]/ };

/** Returns a copy of the records in which every cell that a spreadsheet would run as a formula is escaped. */
export function escapeFormulas(records: readonly (readonly string[])[]): string[][] {
  return records.map((record) => record.map(escapeFormula));
}

/** Thrown if a CSV file can't be read or written. The message gives the reason. */
export class CsvFormatError extends Error {}

/** Thrown if a CSV file can't be read. The fault's code gives the reason. */
export class WrongFile extends CsvFormatError {
  constructor(
    readonly fault: CsvFault,
    options?: ErrorOptions,
  ) {
    super(faultText(fault), options);
  }
}
