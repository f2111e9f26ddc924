import { countText } from "./forms.js";

/** All words of exporting customers. */
export const exporting = {
  title: "Export customers",
  what: (total: number) =>
    `${countText(total, "customer")}, as the list shows them, into a CSV file with email, name, phone and customer number.`,
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
