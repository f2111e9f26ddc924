import { execFileSync } from "node:child_process";
import { root } from "../imports.js";
import { leftOut } from "./source-lines.js";

/** The size of a change to `src` and `adapters`, without tests. */
export interface TouchedLines {
  readonly files: readonly string[];
  readonly added: number;
  readonly removed: number;
}

/** @param range commits as git names them, such as `A..B`. */
export function countTouched(range: string): TouchedLines {
  const excluded = leftOut.map((folder) => `:(exclude,glob)**${folder}**`);
  const numbers = execFileSync("git", ["diff", "--numstat", range, "--", "src", "adapters", ...excluded], {
    cwd: root,
    encoding: "utf8",
  });
  const rows = numbers
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t"));
  // Git prints a dash for the lines of a binary file.
  const addColumn = (column: number) => rows.reduce((all, row) => all + (Number(row[column]) || 0), 0);
  return { files: rows.map(([, , file = ""]) => file), added: addColumn(0), removed: addColumn(1) };
}
