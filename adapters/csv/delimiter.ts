/** The characters that spreadsheets separate fields with, the likeliest first. */
const candidates = [",", ";", "\t", "|"];

/** Tells whether a file is a workbook of Excel or LibreOffice by how it begins: as a ZIP archive. */
export function isWorkbook(start: string): boolean {
  return start.startsWith("PK\u0003\u0004");
}

/**
 * Finds out what separates the fields of a CSV text: what a first line `sep=;`, as Excel writes it, says; else the one
 * that stands most often in the line of headers.
 * @param start of the text, with that line at least.
 * @returns the delimiter, and the text without a line that only names it.
 */
export function separated(start: string): { readonly delimiter: string; readonly rest: string } {
  const named = /^sep=([^"\r\n])(\r\n|\r|\n)/i.exec(start);
  const rest = named === null ? start : start.slice(named[0].length);
  return { delimiter: named?.[1] ?? mostFrequent(start.slice(0, lineEnd(start) ?? undefined)), rest };
}

/** The place of the first line end outside of quotes; `null` when there is none. */
export function lineEnd(text: string): number | null {
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    // Blank lines before the headers are left out.
    else if (!quoted && (character === "\n" || character === "\r") && text.slice(0, at).trim() !== "")
      return at;
  }
  return null;
}

function mostFrequent(headers: string): string {
  const unquoted = headers.replace(/"[^"]*"/g, "");
  const counts = candidates.map((candidate) => unquoted.split(candidate).length);
  return candidates[counts.indexOf(Math.max(...counts))] ?? ",";
}
