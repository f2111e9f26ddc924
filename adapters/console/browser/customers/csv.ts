import { parse } from "csv-parse/browser/esm/sync";
import { stringify } from "csv-stringify/browser/esm/sync";
import type { User } from "../../../../src/resources/user.js";
import { unguarded } from "../../../../src/values/formula-guard.js";
import { type Column, cellOf, columnOf, hasCards, problemOf } from "../../../csv/columns.js";
import { isWorkbook, separated } from "../../../csv/delimiter.js";
import { guardedRecords, reading, writing } from "../../../csv/records.js";
import { importing as words } from "../words/en/transfer.js";

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

/** One row of a file that is imported, and the line where it ends. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A file of customers. */
export interface CsvFile {
  readonly headers: readonly string[];
  /** The meanings of the columns: those by names that are not known become metadata. */
  readonly columns: readonly Column[];
  readonly rows: readonly CsvRow[];
}

/** A file that can't be imported, with the reason in the words of the screen. */
export class WrongFile extends Error {}

/**
 * Reads a file with a line of headers.
 * @throws {WrongFile} saying in words why it can't; another error when it is no CSV.
 */
export function csvFile(text: string): CsvFile {
  if (isWorkbook(text)) throw new WrongFile(words.workbook);
  const { delimiter, rest } = separated(text.replace(/^\uFEFF/, ""));
  const records: CsvRow[] = [];
  parse(rest, {
    ...reading,
    delimiter,
    on_record(cells: string[], { lines }) {
      records.push({ line: lines, cells });
      return null;
    },
  });
  const [first, ...rows] = records;
  const headers = (first?.cells ?? []).map(unguarded);
  const columns = headers.map((header) => columnOf(header) ?? { metadata: header.trim() });
  const fault = problemOf(headers, columns);
  if (fault !== null) throw new WrongFile(words.columnsWrong(fault));
  if (hasCards(columns)) throw new WrongFile(words.otherCards);
  return { headers, columns, rows };
}
