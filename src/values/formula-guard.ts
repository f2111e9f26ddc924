/*
 * A spreadsheet takes this for a formula, after OWASP's "CSV Injection": a cell that begins with one of = + - @, also full-width, or
 * with a tab or line end. Excel, LibreOffice and Google Sheets pass over spaces and quotes before it, and where commas are decimal, or
 * a file is read as one of tabs, a cell begins behind each separator, whatever this one is in. So each part of a text that would begin
 * a cell somewhere is looked at. One that looks as if it were guarded already is guarded too: that makes it certain what an import
 * has to take away.
 */

/** The places where a cell may begin: the start of the text, and behind each separator of fields or records. */
const start = "(?<=^|[,;|\\t\\r\\n])";

/** Characters that are passed over, then one that begins a formula; or at the start of the text a tab or line end. */
const formula =
  "(?='*(?:(?:(?![\\t\\r\\n])[\\s\"\\p{Cf}])*[=+\\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\\t\\r\\n](?<=^'*[\\t\\r\\n])))";

const unguardedPlace = new RegExp(`${start}${formula}`, "gu");

const guard = new RegExp(`${start}'${formula}`, "gu");

/** The text as a cell that no spreadsheet runs: what would be a formula gets an apostrophe before it. */
export function escapeFormula(text: string): string {
  return text.replace(unguardedPlace, "'");
}

/** The text of a cell, without the apostrophes that {@link escapeFormula} adds. */
export function unescapeFormula(cell: string): string {
  return cell.replace(guard, "");
}
