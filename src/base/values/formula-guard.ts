/*
 * Guards against CSV injection, based on OWASP's "CSV Injection". A spreadsheet treats a cell as a formula if it begins with = + -
 * or @, including their full-width forms, or with a tab or line break. Excel, LibreOffice and Google Sheets skip leading spaces and
 * quotes. Where the decimal separator is a comma, or a file is read as tab-separated, a new cell may begin after any separator,
 * whatever this file uses. So each position in the text where a cell could begin is checked. Text that already looks guarded is
 * guarded again, so that an import knows exactly what to remove.
 */

/** Matches where a cell may begin: at the start of the text, and after each field or record separator. */
const start = "(?<=^|[,;|\\t\\r\\n])";

/** Matches skipped characters followed by one that begins a formula; or a tab or line break at the start of the text. */
const formula =
  "(?='*(?:(?:(?![\\t\\r\\n])[\\s\"\\p{Cf}])*[=+\\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\\t\\r\\n](?<=^'*[\\t\\r\\n])))";

const unguardedFormula = new RegExp(`${start}${formula}`, "gu");

const guard = new RegExp(`${start}'${formula}`, "gu");

/** Inserts an apostrophe wherever a spreadsheet could interpret the text that follows as a formula. */
export function escapeFormula(text: string): string {
  return text.replace(unguardedFormula, "'");
}

/** Removes the apostrophes that {@link escapeFormula} inserted into a cell's text. */
export function unescapeFormula(cell: string): string {
  return cell.replace(guard, "");
}
