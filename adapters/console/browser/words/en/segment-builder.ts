import type { LeafName } from "../../../../../src/resources/segment-leaves.js";

export const operators = [
  ["AND", "all of"],
  ["OR", "any of"],
  ["NOT", "none of"],
] as const;

/** Each kind of condition by its name, and what it asks. */
export const kindWords: Readonly<Record<LeafName, readonly [title: string, question: string]>> = {
  lastVisit: ["Last visit", "How long ago somebody was here"],
  visits: ["Number of visits", "How often somebody was here lately"],
  stamps: ["Stamps", "How many stamps are on a card"],
  rewards: ["Reward waiting", "A full card whose reward was not taken yet"],
  completions: ["Filled cards", "How often somebody has filled a card"],
  wallet: ["Card in a wallet", "The card is in Apple Wallet or Google Wallet, or in none"],
  slug: ["Tag", "Somebody has a tag"],
  segment: ["Segment", "Somebody is in another segment"],
  joined: ["Joined", "When somebody became a customer"],
  anniversary: ["Birthday or another day of the year", "This month, or in the next days"],
  field: ["Name, phone or customer number", "It is known, or missing"],
  subscription: ["News", "Somebody agreed to news, or wants none"],
  language: ["Language", "The language for messages"],
  metadata: ["Your own notes", "What you have noted about customers, by the name of the note"],
};

/** The kinds in the order and under the headings in which they are offered. */
export const sections: readonly (readonly [heading: string, kinds: readonly LeafName[]])[] = [
  ["Visits", ["lastVisit", "visits"]],
  ["Cards", ["rewards", "stamps", "completions", "wallet"]],
  ["Tags and segments", ["slug", "segment"]],
  ["About the customer", ["joined", "anniversary", "field", "subscription", "language", "metadata"]],
];

/** Messages for incomplete conditions. */
export const unfinished = {
  choice: "Choose one.",
  card: "Choose a card.",
  anyCard: "Choose a card.",
  tag: "Choose a tag.",
  segment: "Choose a segment.",
  number: "A whole number is missing.",
  decimal: "A number is missing.",
  text: "A text is missing.",
  key: "Say which note.",
  date: "A day is missing.",
} as const;

export const builder = {
  whole: "Filter",
  group: (level: number) => `Group at level ${level}`,
  operator: (group: string) => `${group}: how its parts go together`,
  begin: "Customers who match",
  inner: "who match",
  add: "Add a condition",
  addGroup: "Add conditions that go together",
  remove: (title: string) => `Remove ${title}`,
  removeGroup: (group: string) => `Remove these conditions: ${group}`,
  match: (count: number) => (count === 1 ? "customer matches this" : "customers match this"),
  nothing: "Add a condition to say who is looked for.",
} as const;
