import type { LeafName } from "../../../../../../src/segments/leaf-schema.js";

export const operators = [
  ["AND", "all of"],
  ["OR", "any of"],
  ["NOT", "none of"],
] as const;

/** Whether a filter's only condition must match. */
export const singleOperators = [
  ["AND", "match this"],
  ["NOT", "don’t match this"],
] as const;

/** Common groups of customers: a condition type with its initial values, and what to call it. */
export const ready: readonly (readonly [LeafName, string])[] = [
  ["lastVisit", "Not here for a month"],
  ["rewards", "Reward waiting"],
  ["anniversary", "Birthday this month"],
];

/** Each condition type's name, and a phrase that describes what the condition tests. */
export const kindWords: Readonly<Record<LeafName, readonly [title: string, question: string]>> = {
  lastVisit: ["Last visit", "How long ago the customer visited"],
  visits: ["Number of visits", "How many times the customer has visited recently"],
  stamps: ["Stamps", "How many stamps are on a card"],
  points: ["Points", "How many points the customer can use on a card"],
  pointsExpire: ["Points that expire", "Whether points on a card expire in the next few days"],
  spent: ["Amount spent", "How much the customer bought recently, less what they returned"],
  purchases: ["Number of purchases", "How many purchases the customer made recently"],
  rewards: ["Reward waiting", "How many rewards the customer hasn’t redeemed yet"],
  completions: ["Filled cards", "How many times the customer has filled a card"],
  wallet: ["Card in a wallet", "Whether the card is in Apple Wallet or Google Wallet"],
  slug: ["Tag", "Whether the customer has a tag"],
  segment: ["Segment", "Whether the customer is in another segment"],
  joined: ["Sign-up date", "When the customer signed up"],
  anniversary: ["Birthday or other yearly date", "Whether the date is this month or in the next few days"],
  field: ["Name, phone, or customer number", "Whether the customer has one"],
  subscription: ["News", "Whether the customer opted in to news"],
  language: ["Language", "The language the customer gets messages in"],
  metadata: ["Your own notes", "The value of one of your notes about the customer"],
};

/** Condition types grouped under headings, in display order. */
export const sections: readonly (readonly [heading: string, kinds: readonly LeafName[]])[] = [
  ["Visits", ["lastVisit", "visits"]],
  ["Purchases", ["spent", "purchases"]],
  ["Cards", ["rewards", "stamps", "completions", "points", "pointsExpire", "wallet"]],
  ["Tags and segments", ["slug", "segment"]],
  ["About the customer", ["joined", "anniversary", "field", "subscription", "language", "metadata"]],
];

/** Error messages for incomplete conditions. */
export const unfinished = {
  choice: "Choose an option.",
  card: "Choose a card.",
  anyCard: "Choose a card.",
  tag: "Choose a tag.",
  segment: "Choose a segment.",
  number: "Enter a whole number.",
  decimal: "Enter a number.",
  text: "Enter some text.",
  key: "Enter the name of a note.",
  date: "Enter a date.",
} as const;

export const builder = {
  whole: "Filter",
  group: (level: number) => `Group at level ${level}`,
  operator: (group: string) => `${group}: how conditions combine`,
  ready: "Start with",
  begin: "Customers who match",
  beginSingle: "Customers who",
  inner: "who match",
  add: "Add condition",
  addGroup: "Add group",
  remove: (title: string) => `Remove ${title}`,
  removeGroup: (group: string) => `Remove group: ${group}`,
  match: (count: number) => (count === 1 ? "customer matches this" : "customers match this"),
  nothing: "Add a condition to find customers.",
} as const;
