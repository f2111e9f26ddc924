import type { Column } from "../../csv/columns.js";

/** What of an imported row has another name in a file. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["createdAt", "joinedAt"],
  ["passes.0.templateId", "template"],
  ["passes.0.createdAt", "issuedAt"],
]);

const entryOfHistory = /^history\.(\d+)/;

/**
 * How people know a field of a row: by the header of the column that it came from, if it is of one.
 * @param path of the field in the row, such as `passes.0.history.1.at`.
 */
export function toldColumn(path: string, headers: readonly string[], columns: readonly Column[]): string {
  const name = otherNames.get(path) ?? path.replace(/^passes\.0\./, "");
  const entry = entryOfHistory.exec(name)?.[1];
  const field = name.split(".")[0];
  const header = headers.find((_, at) => columns[at] === field) ?? name;
  return entry === undefined ? header : `${header}, entry ${Number(entry) + 1},`;
}
