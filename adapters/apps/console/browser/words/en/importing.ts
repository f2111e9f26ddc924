import { type CsvFault, faultText } from "../../../../csv/faults.js";
import { countText, numberText } from "./forms.js";

/** UI text for importing customers. */
export const importing = {
  title: "Import customers",
  file: "CSV file",
  fileHint:
    "The first line names the columns: email, name (or firstName and lastName), phone, externalId, tags. Others become metadata.",
  unreadable: "The file can’t be read.",
  fileWrong: (fault: CsvFault) => `The file can’t be imported: ${faultText(fault)}.`,
  choose: "Choose",
  encoding: "Encoding",
  encodingHint: "The file doesn’t state its encoding. Choose the line that reads correctly.",
  reading: (text: string, encoding: string) => `${text} (${encoding})`,
  delimiter: "Separator",
  delimiterHint: "The first line has several possible separators.",
  tab: "Tab",
  dates: "Dates",
  datesHint: (date: string) => `${date} is ambiguous.`,
  dayFirst: "Day first",
  monthFirst: "Month first",
  makeTags: "Create missing tags",
  toAdd: (rows: number) => `${countText(rows, "row")} to add.`,
  progress: "Progress of the import",
  state: (done: number, rows: number, added: number, refused: number) =>
    `${numberText(done)} of ${numberText(rows)}: ${countText(added, "customer")} added, ${countText(refused, "row")} refused`,
  waits: "waiting for the server",
  line: "Line",
  email: "Email",
  why: "Why it failed",
  saveRefused: "Save failed rows",
  refusedName: "refused",
  done: "Done",
  stop: "Stop",
  verb: "Import",
  rowWrong: (fault: CsvFault) => `It ${faultText(fault)}.`,
  cellWrong: (column: string, fault: CsvFault | null) =>
    `${column} ${fault === null ? "can’t be read" : faultText(fault)}.`,
  noTag: (tag: string) => `tags: unknown tag ${tag}.`,
  consentIncomplete: "A consent needs consentAt and consentText.",
};
