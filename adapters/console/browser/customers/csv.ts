import { stringify } from "csv-stringify/browser/esm/sync";
import type { User } from "../../../../src/resources/user.js";
import { formatCell } from "../../../csv/columns.js";
import { csvStringifyOptions, escapeFormulas } from "../../../csv/records.js";

/** The columns of customers as screens list them. */
const listed = ["email", "name", "phone", "externalId"] as const;

/** Returns customers as a CSV file. */
export function toCustomersCsv(
  customers: readonly Pick<User, "email" | "name" | "phone" | "externalId">[],
): string {
  return toCsv(
    listed,
    customers.map((customer) => listed.map((column) => formatCell(customer, column))),
  );
}

/** Returns rows as a CSV file. A cell that a spreadsheet would run as a formula gets an apostrophe before it. */
export function toCsv(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return stringify(escapeFormulas([columns, ...rows]), { record_delimiter: "\r\n", ...csvStringifyOptions });
}
