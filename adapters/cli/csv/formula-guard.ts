/**
 * What a spreadsheet takes for the beginning of a formula, after OWASP's "CSV Injection"; and what already looks like a
 * guarded one, so that taking a guard away always gives back the text that was guarded.
 */
const formula = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** The text as a cell that no spreadsheet runs: one that would be a formula gets an apostrophe before it. */
export function guarded(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The text of a cell, without the apostrophe that {@link guarded} adds. */
export function unguarded(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
}
