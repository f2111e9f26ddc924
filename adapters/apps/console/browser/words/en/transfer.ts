import { countText } from "./forms.js";

/** UI text for exporting customers. */
export const exporting = {
  title: "Export customers",
  what: (total: number) =>
    `A CSV file of ${countText(total, "customer")}, as shown in the list, with email, name, phone and customer number.`,
  progress: "Progress of the export",
  verb: "Export",
  fileName: "customers",
};

/** UI text for exporting all of an organization's data from the settings. */
export const everything = {
  title: "Export all data",
  what: "Customers, cards, stamps, tags, messages, consents, statistics and settings, as a ZIP file with tables for your spreadsheet. Passwords and API tokens aren’t included.",
  care: "It contains the data of all your customers: store it safely.",
  verb: "Export everything",
  cancel: "Stop",
  soFar: (megabytes: string) => `${megabytes} MB so far. Stay on this page until it’s done.`,
  done: "The export is complete",
  fileName: "export",
};
