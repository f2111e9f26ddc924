import { parse } from "csv-parse/browser/esm/sync";
import { stringify } from "csv-stringify/browser/esm/sync";

/** What a customer has in a file. */
export const csvColumns = ["email", "name", "phone", "externalId"] as const;

/** Cells that a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r]/;

/** A file of these rows. A cell that a spreadsheet would run as a formula gets a quote before it. */
export function csvOf(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const guarded = rows.map((row) =>
    row.map((cell) => (formula.test(cell) && !/^\+?[0-9 ()-]+$/.test(cell) ? `'${cell}` : cell)),
  );
  return stringify([[...columns], ...guarded], { record_delimiter: "\r\n" });
}

/** One row of a file that is imported, and the line where it begins. */
export interface CsvRow {
  readonly line: number;
  readonly values: Readonly<Record<string, string>>;
}

const names: Readonly<Record<string, string>> = {
  email: "email",
  "e-mail": "email",
  name: "name",
  phone: "phone",
  telephone: "phone",
  externalid: "externalId",
  external_id: "externalId",
};

/**
 * Reads a file with a head line. Columns by other names become metadata.
 * @throws {Error} saying in words why it can't.
 */
export function csvRows(text: string): CsvRow[] {
  return parse<CsvRow, Record<string, string>>(text, {
    bom: true,
    columns: columnsOf,
    delimiter: delimiterOf(text),
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    on_record: (values, { lines }) => ({ line: lines, values }),
  });
}

function columnsOf(head: readonly string[]): string[] {
  const columns = head.map((name) => names[name.trim().toLowerCase()] ?? name.trim());
  if (columns.includes("email")) return columns;
  throw new Error("The first line must name the columns, with one called email.");
}

/** What stands between the columns: spreadsheets of many countries write semicolons. */
function delimiterOf(text: string): string {
  const [head = ""] = text.split("\n", 1);
  return [",", ";", "\t"].reduce((best, each) =>
    head.split(each).length > head.split(best).length ? each : best,
  );
}

/** A row as the API takes it. */
export function userOf({ values }: CsvRow) {
  const { email = "", name = "", phone = "", externalId = "", ...others } = values;
  const metadata = Object.fromEntries(
    Object.entries(others).filter(([key, value]) => key !== "" && value !== ""),
  );
  return {
    email,
    ...(name !== "" && { name }),
    ...(phone !== "" && { phone }),
    ...(externalId !== "" && { externalId }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}
