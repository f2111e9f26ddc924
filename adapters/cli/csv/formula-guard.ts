/**
 * What a spreadsheet takes for the beginning of a formula, after OWASP's "CSV Injection"; and what already looks like a
 * guarded one, so that taking a guard away always gives back the text that was guarded. A spreadsheet of a country with
 * decimal commas begins a cell at each semicolon, whatever this one is in.
 */
const formula = /(^|;)('*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/g;

const guardedFormula = /(^|;)'('*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** The text as a cell that no spreadsheet runs: what would be a formula gets an apostrophe before it. */
export function guarded(text: string): string {
  return text.replace(formula, "$1'$2");
}

/** The text of a cell, without the apostrophes that {@link guarded} adds. */
export function unguarded(cell: string): string {
  return cell.replace(guardedFormula, "$1$2");
}
