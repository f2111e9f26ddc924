import * as z from "zod";
import { escapeFormula } from "../values/formula-guard.js";

/** Excel knows UTF-8 by it. */
const MARK = "\uFEFF";

/** The columns of rows: the names of their fields, and `field.part` for the parts of one that has some. */
export function listCsvColumns(schema: z.ZodObject, before = ""): string[] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    // It is the same in all rows of a file.
    if (name === "object") return [];
    const inner = field instanceof z.ZodNullable ? field.unwrap() : field;
    return inner instanceof z.ZodObject ? listCsvColumns(inner, `${before}${name}.`) : [`${before}${name}`];
  });
}

/** The first line of a file. */
export function formatHeader(columns: readonly string[]): string {
  return `${MARK}${formatCsvLine(columns)}`;
}

/** Rows as lines, in which no cell is one that a spreadsheet runs. */
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

/** A missing value is empty; a list of texts is joined by semicolons; an object is JSON. */
function formatCsvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  const isOfTexts = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isOfTexts ? value.join(";") : JSON.stringify(value);
}
