import { countText } from "./forms.js";

/** UI text for the dialog that finds customers, screens, and actions, and for the list of shortcuts. */
export const palette = {
  title: "Search",
  field: "Search customers, screens, and actions",
  example: "Customer, screen, or action…",
  screens: "Screens",
  actions: "Actions",
  customers: "Customers",
  count: (count: number) => countText(count, "result"),
  searching: "Searching…",
  none: "Nothing found",
  close: "Close",
  within: (section: string, tab: string) => `${section}: ${tab}`,
  tags: "Tags",
  cardKeywords: "points stamps rewards poster",
  addCustomer: "Add customer",
  newSegment: "New segment",
  newMessage: "New message",
  newAutomation: "New automation",
  shortcuts: "Keyboard shortcuts",
  paletteKeys: "Ctrl K, ⌘ K",
  keysFor: {
    palette: "Search customers, screens, and actions",
    field: "Go to the screen’s search field",
    shortcuts: "Show these shortcuts",
    choice: "Choose a result",
    close: "Close what is open",
  },
  notInFields: "While you type in a field, “/” and “?” are text. At the till, they belong to the scanner.",
};
