import { escapeControls, escapeControlsInJson } from "../../../src/values/control-characters.js";

/** The two streams that a command writes to. Each call writes one line. */
export interface Output {
  /** Writes a result, for people and pipes, to standard output. */
  result(line: string): void;
  /** Writes everything else to standard error. */
  note(line: string): void;
}

/** Makes one line of a text from a database or an error. The line can't move the cursor, color the terminal or reverse its direction. */
export function oneLine(text: string): string {
  return text
    .replace(/\p{Bidi_Control}+/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}

/** Returns the lines of an error's stack, without the characters that {@link oneLine} removes from a line. */
export function stackLines(stack: string): string {
  return stack.split("\n").map(escapeControls).join("\n");
}

/** Writes JSON in which no text of a customer can steer the terminal. @param indent the blanks of a level; one line without. */
export function printJson(value: unknown, output: Output, indent?: number): void {
  output.result(escapeControlsInJson(JSON.stringify(value, null, indent)));
}

/** Quotes a word for a POSIX shell where that is needed. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Writes rows below their headings, or `none` where there are none. */
export function printList(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
  output: Output,
): void {
  if (rows.length === 0) output.note(oneLine(none));
  else printTable([headings, ...rows], output);
}

/** A blank, and what shows nothing behind it. */
const gap = /[\p{Z}\u2800\u3164\u115F\u1160\uFFA0][\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu;

/** Creates a cell of a text, in which no gap looks like the end of a column. */
function cellOf(text: string): string {
  return oneLine(text).replace(gap, " ");
}

/** Writes rows with aligned columns; a cell can't break its line, or look like several. */
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

/** The most lines of one kind, and the most kinds. */
const LINES = 20;
const KINDS = 100;

/** Prints many similar lines: the first of each kind, and then the number of the others. */
export class RepeatedLines {
  private readonly times = new Map<string, number>();
  private others = 0;

  constructor(private readonly output: Output) {}

  /** Writes a line, unless there were enough of its kind. */
  add(kind: string, line: string): void {
    const before = this.times.get(kind) ?? 0;
    if (before === 0 && this.times.size === KINDS) {
      this.others += 1;
      return;
    }
    this.times.set(kind, before + 1);
    if (before < LINES) this.output.note(line);
  }

  /** Writes how many more there were. @param things the plural noun for them. */
  end(things: string): void {
    for (const [kind, count] of this.times) {
      if (count > LINES) this.output.note(`${count - LINES} more ${things}: ${kind}`);
    }
    if (this.others > 0) this.output.note(`${this.others} ${things} of other kinds`);
  }
}
