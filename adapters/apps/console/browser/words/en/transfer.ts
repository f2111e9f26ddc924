import { countText } from "./forms.js";

/** UI text for exporting the customers in a list to a CSV file. */
export const exporting = {
  title: "Export customers",
  what: (total: number) =>
    `Download a CSV file with the ${countText(total, "customer")} in this list, including their email, name, phone, and customer number.`,
  progress: "Export progress",
  verb: "Export",
  fileName: "customers",
};

/** UI text for exporting all of an organization's data from the settings. */
export const everything = {
  title: "Export all data",
  what: "Download a ZIP file with your customers, cards, stamps, tags, messages, consents, statistics, and settings, as tables you can open in a spreadsheet. Passwords and API tokens aren’t included.",
  care: "It contains the personal data of all your customers, so store it securely.",
  verb: "Export everything",
  cancel: "Stop",
  soFar: (megabytes: string) => `${megabytes} MB so far. Stay on this page until it’s done.`,
  done: "The export is complete",
  fileName: "export",
};
