import { escapeControls, escapeControlsInJson } from "../../../../src/base/values/display-text.js";

/** A command's output, with one stream for its result and another for everything else. Each call writes one line. */
export interface Output {
  /** Writes a line of the command's result to standard output, where it can be piped to other programs. */
  result(line: string): void;
  /** Writes a line to standard error. Used for text that isn't part of the command's result. */
  note(line: string): void;
}

/** Converts untrusted text to a single line that can't move the cursor, color the terminal, or change the text direction. */
export function toSingleLine(text: string): string {
  return text
    .replace(/\p{Bidi_Control}+/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}

/** Escapes control characters in a stack trace but keeps its line breaks. */
export function escapeStack(stack: string): string {
  return stack.split("\n").map(escapeControls).join("\n");
}

/**
 * Writes a value as JSON, with control characters escaped so that customer-supplied text can't inject terminal escape sequences.
 * @param indent the number of spaces per level. If omitted, the JSON is written as a single line.
 */
export function printJson(value: unknown, output: Output, indent?: number): void {
  output.result(escapeControlsInJson(JSON.stringify(value, null, indent)));
}

/** Quotes a word for a POSIX shell, if necessary. */
export function quoteForShell(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Writes a table with the headings and rows. If there are no rows, writes `emptyMessage` to standard error instead.
 */
export function printList(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  emptyMessage: string,
  output: Output,
): void {
  if (rows.length === 0) output.note(toSingleLine(emptyMessage));
  else printTable([headings, ...rows], output);
}

/** Matches a blank followed by more blanks or invisible characters. */
const wideGap = /[\p{Z}\u2800\u3164\u115F\u1160\uFFA0][\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu;

/** Creates a cell in which no gap looks like the end of a column. */
function formatCell(text: string): string {
  return toSingleLine(text).replace(wideGap, " ");
}

/**
 * Writes rows as a table with aligned columns. Line breaks and wide gaps within a cell are replaced with a single space so that a
 * cell can't look like several rows or cells.
 */
export function printTable(rows: readonly (readonly string[])[], output: Output): void {
  const cells = rows.map((row) => row.map(formatCell));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  for (const row of cells) {
    const padded = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    output.result(padded.join("  ").trimEnd());
  }
}

/** Maximum number of lines per kind, and maximum number of kinds. */
const MAX_LINES_PER_KIND = 20;
const MAX_KINDS = 100;

/** Limits how many lines of each kind are printed, and counts the omitted lines. */
export class RepeatedLines {
  private readonly counts = new Map<string, number>();
  private otherLineCount = 0;

  constructor(private readonly output: Output) {}

  /** Writes a line, or only counts it if the limit for its kind has been reached. */
  add(kind: string, line: string): void {
    const previousCount = this.counts.get(kind) ?? 0;
    if (previousCount === 0 && this.counts.size === MAX_KINDS) {
      this.otherLineCount += 1;
      return;
    }
    this.counts.set(kind, previousCount + 1);
    if (previousCount < MAX_LINES_PER_KIND) this.output.note(line);
  }

  /**
   * Writes how many lines of each kind were omitted.
   * @param noun a plural noun for what the lines report, such as `records`.
   */
  printOmittedCounts(noun: string): void {
    for (const [kind, count] of this.counts) {
      if (count > MAX_LINES_PER_KIND) this.output.note(`${count - MAX_LINES_PER_KIND} more ${noun}: ${kind}`);
    }
    if (this.otherLineCount > 0) this.output.note(`${this.otherLineCount} other ${noun}`);
  }
}
