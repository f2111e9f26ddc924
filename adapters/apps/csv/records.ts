import { escapeFormula } from "../../../src/base/values/formula-guard.js";
import { type CsvFault, faultText } from "./faults.js";

/** Options for csv-stringify that quote every cell that contains a line break. */
export const csvStringifyOptions = { quoted_match: /[\r\n]/ };

/** Returns a copy of the records in which cells that a spreadsheet would run as formulas are escaped. */
export function escapeFormulas(records: readonly (readonly string[])[]): string[][] {
  return records.map((record) => record.map(escapeFormula));
}

/** Thrown if a CSV file can't be read or written. The error message states the reason. */
export class CsvFormatError extends Error {}

/** Thrown if a CSV file can't be read. The fault's code states the reason. */
export class WrongFile extends CsvFormatError {
  constructor(
    readonly fault: CsvFault,
    options?: ErrorOptions,
  ) {
    super(faultText(fault), options);
  }
}
