import * as z from "zod";
import { escapeFormula } from "../values/formula-guard.js";

/** The byte-order mark, by which Excel recognizes UTF-8. */
const MARK = "\uFEFF";

/**
 * Returns the CSV columns for a row schema. Columns are named after the schema's fields, and nested fields are written as
 * `field.part`.
 */
export function listCsvColumns(schema: z.ZodObject, before = ""): string[] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    // The field `object` is the same in every row of a file.
    if (name === "object") return [];
    const inner = field instanceof z.ZodNullable ? field.unwrap() : field;
    return inner instanceof z.ZodObject ? listCsvColumns(inner, `${before}${name}.`) : [`${before}${name}`];
  });
}

/** Formats the header line, with a byte-order mark at the start so that Excel recognizes the file as UTF-8. */
export function formatHeader(columns: readonly string[]): string {
  return `${MARK}${formatCsvLine(columns)}`;
}

/** Formats rows as CSV lines, escaping any cell that a spreadsheet would run as a formula. */
export function formatRows(columns: readonly string[], rows: readonly object[]): string {
  return rows
    .map((row) => formatCsvLine(columns.map((column) => formatCsvCell(valueIn(row, column)))))
    .join("");
}

function formatCsvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(",")}\r\n`;
}

function quoted(text: string): string {
  const cell = escapeFormula(text);
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function valueIn(row: object, column: string): unknown {
  return column.split(".").reduce<unknown>((value, name) => {
    return typeof value === "object" && value !== null ? Reflect.get(value, name) : null;
  }, row);
}

/** Formats a value as a cell. A missing value is empty, a list of strings is joined by semicolons, and an object is JSON. */
function formatCsvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  const isOfTexts = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isOfTexts ? value.join(";") : JSON.stringify(value);
}
