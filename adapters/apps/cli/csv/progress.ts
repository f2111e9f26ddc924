import { SingleBar } from "cli-progress";
import type { ImportProgress } from "../../../../src/customers/import/import-total.js";
import type { Output } from "../terminal/output.js";
import type { CsvSource } from "./source.js";

/** Number of rows after which a line is printed if there is no terminal. */
const ROWS_PER_LINE = 5_000;

export interface Progress {
  show(progress: ImportProgress): void;
  /** Stops the progress display. Must be called before other output is written. */
  end(): void;
}

/**
 * Creates a progress bar if standard error is a terminal and the source's size is known. Otherwise, creates a display that prints
 * one line per 5,000 rows.
 */
export function createProgress({ size, getBytesRead }: CsvSource, output: Output): Progress {
  return process.stderr.isTTY && size !== null
    ? createProgressBar(size, getBytesRead)
    : createProgressLines(output);
}

function createProgressBar(size: number, getBytesRead: () => number): Progress {
  const progressBar = new SingleBar({
    format:
      "{bar} {percentage}% | {rows} rows | {failed} failed | {duration_formatted} elapsed, {eta_formatted} left",
    stream: process.stderr,
    gracefulExit: false,
  });
  progressBar.start(size, 0, { rows: 0, failed: 0 });
  return {
    show: ({ rows, failed }) => progressBar.update(getBytesRead(), { rows, failed }),
    end: () => progressBar.stop(),
  };
}

function createProgressLines(output: Output): Progress {
  let printedLines = 0;
  return {
    show(progress) {
      const dueLines = Math.floor(progress.rows / ROWS_PER_LINE);
      if (dueLines === printedLines) return;
      printedLines = dueLines;
      output.note(formatProgress(progress));
    },
    end: () => undefined,
  };
}

/** Formats an import's progress as one line: the number of rows, and how many were created, updated, unchanged, or failed. */
export function formatProgress({ rows, created, updated, unchanged, failed }: ImportProgress): string {
  return `${rows} rows: ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`;
}
