import { stringify } from "csv-stringify/browser/esm/sync";
import type { User } from "../../../../../src/customers/schema.js";
import { formatCell } from "../../../csv/columns.js";
import { csvStringifyOptions, escapeFormulas } from "../../../csv/records.js";

/** The customer columns, in the order in which screens list them. */
const exportedColumns = ["email", "name", "phone", "externalId"] as const;

/** Returns customers as CSV text with a header row. */
export function toCustomersCsv(
  customers: readonly Pick<User, "email" | "name" | "phone" | "externalId">[],
): string {
  return toCsv(
    exportedColumns,
    customers.map((customer) => exportedColumns.map((column) => formatCell(customer, column))),
  );
}

/**
 * Formats a header row and data rows as CSV text. Cells that a spreadsheet would interpret as formulas are prefixed with an
 * apostrophe.
 */
export function toCsv(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return stringify(escapeFormulas([columns, ...rows]), { record_delimiter: "\r\n", ...csvStringifyOptions });
}
