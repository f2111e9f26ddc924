import { escapeFormula } from "../../src/values/formula-guard.js";
import { type CsvFault, faultText } from "./faults.js";

/** The options by which csv-stringify writes a file of customers: each line end is in quotes. */
export const csvStringifyOptions = { quoted_match: /[\r\n]/ };

/** Records as they are written: no cell is run by a spreadsheet. */
export function escapeFormulas(records: readonly (readonly string[])[]): string[][] {
  return records.map((record) => record.map(escapeFormula));
}

/** A CSV text that can't be written, with the reason in words. */
export class CsvFormatError extends Error {}

/** A CSV text that can't be read, with the reason by its code. */
export class WrongFile extends CsvFormatError {
  constructor(
    readonly fault: CsvFault,
    options?: ErrorOptions,
  ) {
    super(faultText(fault), options);
  }
}
