import { type CsvFault, faultText } from "../../../../csv/faults.js";
import { counted, numberText } from "./forms.js";

/** All words of exporting customers. */
export const exporting = {
  title: "Export customers",
  what: (total: number) =>
    `${counted(total, "customer")}, as the list shows them, into a CSV file with email, name, phone and customer number.`,
  progress: "Progress of the export",
  verb: "Export",
  fileName: "customers",
};

/** All words of taking everything out, under Settings. */
export const everything = {
  title: "Everything in one file",
  what: "Customers, cards, every stamp, tags, messages, who agreed to what, numbers and settings, as a ZIP file with tables that a spreadsheet opens. Passwords and keys are not in it.",
  care: "It has the data of all your customers: keep it as you would keep a key.",
  verb: "Export everything",
  cancel: "Stop",
  soFar: (megabytes: string) => `${megabytes} MB so far. Stay on this page until it is done.`,
  done: "Everything is in the file",
  fileName: "export",
};

/** All words of importing customers. */
export const importing = {
  title: "Import customers",
  file: "CSV file",
  fileHint:
    "The first line names the columns: email, name (or firstName and lastName), phone, externalId, tags. Others become metadata.",
  unreadable: "The file can’t be read.",
  workbook: "This is a workbook: save its sheet as CSV, and import that.",
  columnsWrong: (fault: CsvFault) => `The first line must name the columns: ${faultText(fault)}.`,
  otherCards: "The file has cards of another programme: those come over with loyalty-kit import.",
  makeTags: "Make the tags that do not exist",
  toAdd: (rows: number) => `${counted(rows, "row")} to add.`,
  progress: "Progress of the import",
  state: (done: number, rows: number, added: number, refused: number) =>
    `${numberText(done)} of ${numberText(rows)}: ${counted(added, "customer")} added, ${counted(refused, "row")} refused`,
  waits: "waiting for the server",
  line: "Line",
  email: "Email",
  why: "Why it was refused",
  saveRefused: "Save the refused rows",
  refusedName: "refused",
  done: "Done",
  stop: "Stop",
  verb: "Import",
  rowWrong: (fault: CsvFault) => `It ${faultText(fault)}.`,
  cellWrong: (column: string, fault: CsvFault | null) =>
    `${column} ${fault === null ? "can’t be read" : faultText(fault)}.`,
  noTag: (tag: string) => `tags: there is no tag ${tag}.`,
  consentIncomplete: "A consent needs consentAt and consentText.",
  consentAtWrong: "consentAt must be a day or a time, such as 2025-03-01.",
};
