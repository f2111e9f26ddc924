import { unescapeFormula } from "../../../src/base/values/formula-guard.js";
import { type CsvFault, faultText } from "./faults.js";

/** Whitespace, line breaks, control characters and invisible characters. */
const blank =
  /^[\s\p{Cc}\u00AD\u061C\u115F\u1160\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0]$/u;

/** Returns a cell's text without surrounding whitespace, and without the apostrophe that exports put before formulas. */
export function cellText(cell: string): string {
  return trimmed(unescapeFormula(trimmed(cell)));
}

/** Removes whitespace from both ends of a string. Unlike `trim`, also removes control characters and invisible characters. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && blank.test(text.charAt(start))) start += 1;
  while (end > start && blank.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

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
