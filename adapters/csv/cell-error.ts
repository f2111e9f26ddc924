import { type CsvFault, faultText } from "./faults.js";

/** Thrown for a cell whose value isn't valid for its column. */
export class CellError extends Error {
  /** The fault with its code; `null` for columns that only the command line reads. */
  readonly fault: CsvFault | null;

  constructor(
    readonly column: string,
    why: string | CsvFault,
  ) {
    super(typeof why === "string" ? why : faultText(why));
    this.fault = typeof why === "string" ? null : why;
  }
}
