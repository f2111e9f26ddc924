import { type CsvFault, faultText } from "../../../../csv/faults.js";
import { countText, numberText } from "./forms.js";

/** UI text for the dialog that imports customers, including the reasons why rows are rejected. */
export const importing = {
  title: "Import customers",
  file: "CSV file",
  fileHint:
    "The first line must contain the column names: email, name (or firstName and lastName), phone, externalId, and tags. All other columns become metadata.",
  unreadable: "The file can’t be read.",
  fileWrong: (fault: CsvFault) => `The file can’t be imported: ${faultText(fault)}.`,
  choose: "Choose",
  encoding: "Encoding",
  encodingHint: "The file doesn’t specify its encoding. Choose the line that looks right.",
  reading: (text: string, encoding: string) => `${text} (${encoding})`,
  delimiter: "Separator",
  delimiterHint: "The first line contains several possible separators.",
  tab: "Tab",
  dates: "Dates",
  datesHint: (date: string) => `${date} is ambiguous.`,
  dayFirst: "Day first",
  monthFirst: "Month first",
  makeTags: "Create missing tags",
  toAdd: (rows: number) => `${countText(rows, "row")} to add.`,
  progress: "Import progress",
  state: (done: number, rows: number, added: number, refused: number) =>
    `${numberText(done)} of ${numberText(rows)}: ${countText(added, "customer")} added, ${countText(refused, "row")} rejected`,
  waits: "waiting for the server",
  line: "Line",
  email: "Email",
  why: "Reason",
  saveRefused: "Save rejected rows",
  refusedName: "rejected",
  done: "Done",
  stop: "Stop",
  verb: "Import",
  rowWrong: (fault: CsvFault) => `It ${faultText(fault)}.`,
  cellWrong: (column: string, fault: CsvFault | null) =>
    `${column} ${fault === null ? "can’t be read" : faultText(fault)}.`,
  noTag: (tag: string) => `tags: unknown tag ${tag}.`,
  consentIncomplete: "Consent requires both consentAt and consentText.",
};
