import { type CsvFault, faultText } from "./faults.js";

/** Thrown if a cell's value isn't valid for its column. */
export class CellError extends Error {
  /**
   * The problem with the value, as a code that callers can translate. It is `null` for columns that are read only by the command
   * line, which prints the error's message unchanged.
   */
  readonly fault: CsvFault | null;

  constructor(
    readonly column: string,
    reason: string | CsvFault,
  ) {
    super(typeof reason === "string" ? reason : faultText(reason));
    this.fault = typeof reason === "string" ? null : reason;
  }
}
