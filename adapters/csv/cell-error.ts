import { type CsvFault, faultText } from "./faults.js";

/** A cell that can't be read as what its column is for. */
export class CellError extends Error {
  /** The error by its code; `null` if only the command line reads such cells. */
  readonly fault: CsvFault | null;

  constructor(
    readonly column: string,
    why: string | CsvFault,
  ) {
    super(typeof why === "string" ? why : faultText(why));
    this.fault = typeof why === "string" ? null : why;
  }
}
