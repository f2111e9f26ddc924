import { escapeFormula } from "../../../src/base/values/formula-guard.js";
import { type CsvFault, faultText } from "./faults.js";

/** Options for csv-stringify that quote every cell containing a line break. */
export const csvStringifyOptions = { quoted_match: /[\r\n]/ };

/** Returns a copy of the records with cells escaped if a spreadsheet would run them as formulas. */
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
