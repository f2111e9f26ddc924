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
  addCustomer: "Add customer",
  newSegment: "New segment",
  newMessage: "New message",
  newAutomation: "New automation",
  shortcuts: "Keyboard shortcuts",
  keys: [
    ["Ctrl K, ⌘ K", "Search customers, screens, and actions"],
    ["/", "Go to the screen’s search field"],
    ["?", "Show these shortcuts"],
    ["↑ ↓ Enter", "Choose a result"],
    ["Esc", "Close what is open"],
  ] as readonly (readonly [string, string])[],
  notInFields: "While you type in a field, keys only type. At the till, “/” and “?” belong to the scanner.",
};
