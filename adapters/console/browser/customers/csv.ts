import { stringify } from "csv-stringify/browser/esm/sync";
import type { User } from "../../../../src/resources/user.js";
import { cellOf } from "../../../csv/columns.js";
import { guardedRecords, writing } from "../../../csv/records.js";

/** The columns of customers as screens list them. */
const listed = ["email", "name", "phone", "externalId", "joinedWithoutEmail"] as const;

/** Returns customers as a CSV file, with a column for those who joined without an email where there are some. */
export function customersFile(
  customers: readonly Pick<User, "email" | "name" | "phone" | "externalId">[],
): string {
  const hasJoined = customers.some((customer) => cellOf(customer, "joinedWithoutEmail") !== "");
  const written = listed.filter((column) => hasJoined || column !== "joinedWithoutEmail");
  return csvOf(
    written,
    customers.map((customer) => written.map((column) => cellOf(customer, column))),
  );
}

/** Returns rows as a CSV file. A cell that a spreadsheet would run as a formula gets an apostrophe before it. */
export function csvOf(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return stringify(guardedRecords([columns, ...rows]), { record_delimiter: "\r\n", ...writing });
}
