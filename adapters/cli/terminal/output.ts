import { escapeControls, escapeControlsInJson } from "../../../src/values/control-characters.js";

/** The two streams that a command writes to. Each call writes one line. */
export interface Output {
  /** Writes a line of the result, for people and pipes, to standard output. */
  result(line: string): void;
  /** Writes a line of any other output to standard error. */
  note(line: string): void;
}

/**
 * Converts text from a database or an error to a single line that can't move the cursor, color the terminal or change the text
 * direction.
 */
export function oneLine(text: string): string {
  return text
    .replace(/\p{Bidi_Control}+/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}

/** Returns the lines of an error's stack without the control characters that {@link oneLine} also removes. */
export function stackLines(stack: string): string {
  return stack.split("\n").map(escapeControls).join("\n");
}

/**
 * Writes JSON in which customers' text can't control the terminal.
 * @param indent spaces per level. If it is `undefined`, the JSON is a single line.
 */
export function printJson(value: unknown, output: Output, indent?: number): void {
  output.result(escapeControlsInJson(JSON.stringify(value, null, indent)));
}

/** Quotes a word for a POSIX shell if necessary. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Writes rows under their headings, or the text `none` if there are no rows. */
export function printList(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
  output: Output,
): void {
  if (rows.length === 0) output.note(oneLine(none));
  else printTable([headings, ...rows], output);
}

/** Matches a blank followed by more blanks or invisible characters. */
const gap = /[\p{Z}\u2800\u3164\u115F\u1160\uFFA0][\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu;

/** Creates a cell in which no gap looks like the end of a column. */
function cellOf(text: string): string {
  return oneLine(text).replace(gap, " ");
}

/** Writes rows with aligned columns. A cell can't break its line or look like several cells. */
export function printTable(rows: readonly (readonly string[])[], output: Output): void {
  const cells = rows.map((row) => row.map(cellOf));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  }
  for (const row of cells) {
    const padded = row.map((cell, at) => cell.padEnd(widths[at] ?? 0));
    output.result(padded.join("  ").trimEnd());
  }
}

/** Maximum number of lines per kind, and maximum number of kinds. */
const LINES = 20;
const KINDS = 100;

/** Prints the first lines of each kind and counts the rest. */
export class RepeatedLines {
  private readonly times = new Map<string, number>();
  private others = 0;

  constructor(private readonly output: Output) {}

  /** Writes a line, unless the maximum for its kind has been reached. */
  add(kind: string, line: string): void {
    const before = this.times.get(kind) ?? 0;
    if (before === 0 && this.times.size === KINDS) {
      this.others += 1;
      return;
    }
    this.times.set(kind, before + 1);
    if (before < LINES) this.output.note(line);
  }

  /**
   * Writes how many lines were left out.
   * @param things plural noun for what the lines are about.
   */
  end(things: string): void {
    for (const [kind, count] of this.times) {
      if (count > LINES) this.output.note(`${count - LINES} more ${things}: ${kind}`);
    }
    if (this.others > 0) this.output.note(`${this.others} ${things} of other kinds`);
  }
}
