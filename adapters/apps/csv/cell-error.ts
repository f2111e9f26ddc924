import { type CsvFault, faultText } from "./faults.js";

/** Thrown if a cell's value isn't valid for its column. */
export class CellError extends Error {
  /** The value's fault. It is `null` in columns that only the command line reads, where the message alone describes the problem. */
  readonly fault: CsvFault | null;

  constructor(
    readonly column: string,
    why: string | CsvFault,
  ) {
    super(typeof why === "string" ? why : faultText(why));
    this.fault = typeof why === "string" ? null : why;
  }
}
