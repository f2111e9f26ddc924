import type { SegmentFilter } from "../../../../../src/resources/segment-filter.js";
import type { LeafName } from "../../../../../src/resources/segment-leaves.js";
import type { Choices } from "../../parts/choices.js";

/** All words of conditions but the sentences, which stand in `phrases.ts`. */

export const operators: Choices<SegmentFilter["operator"]> = [
  ["AND", "all of"],
  ["OR", "any of"],
  ["NOT", "none of"],
];

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

export const visitWays = [
  ["withinDays", "in the last"],
  ["beforeDays", "more than"],
  ["never", "never"],
] as const;

export const boundWays = [
  ["min", "at least"],
  ["max", "at most"],
  ["exact", "exactly"],
  ["between", "between"],
] as const;

export const stampWays = [["any", "any number"], ...boundWays] as const;

export const joinedWays = [
  ["withinDays", "in the last"],
  ["beforeDays", "more than"],
  ["between", "between two days"],
] as const;

export const metadataWays = [
  ["text", "is the text"],
  ["number", "is the number"],
  ["yes", "is true"],
  ["no", "is false"],
  ["between", "is a number from"],
  ["withinDays", "is a day in the last"],
  ["beforeDays", "is a day more than"],
  ["exists", "is there"],
  ["missing", "is missing"],
] as const;

const monthName = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" });

export const months: Choices<string> = [
  ["this", "this month"],
  ...Array.from(
    { length: 12 },
    (_, at) => [String(at + 1), `in ${monthName.format(Date.UTC(2024, at, 1))}`] as const,
  ),
];

export const anniversaryWays = [
  ["month", "is"],
  ["withinDays", "is in the next"],
] as const;

export const existsWays = [
  ["true", "is known"],
  ["false", "is missing"],
] as const;

export const fieldNames = [
  ["phone", "Phone number"],
  ["name", "Name"],
  ["externalId", "Customer number"],
] as const;

export const installedWays = [
  ["true", "is in"],
  ["false", "is not in"],
] as const;

export const platforms = [
  ["", "any wallet"],
  ["apple", "Apple Wallet"],
  ["google", "Google Wallet"],
] as const;

export const channels = [
  ["email", "by mail"],
  ["wallet", "on the card in the wallet"],
] as const;

export const consents = [
  ["SUBSCRIBED", "agreed to news"],
  ["UNSUBSCRIBED", "wants no news"],
  ["PENDING", "has yet to confirm news"],
  ["NONE", "was not asked about news"],
] as const;

/** What stands behind a number of days that are gone. */
export const daysBack = ({ way }: Readonly<Record<string, string>>): string =>
  way === "beforeDays" ? "days ago" : "days";

/** The names of single controls, and the words between them. */
export const labels = {
  way: "How it is compared",
  days: "Days",
  least: "At least",
  most: "At most",
  and: "and",
  to: "Until before the day",
  until: "until before",
  upTo: "to",
  daysAfter: "days",
  visitsIn: "visits in the last",
  stampsOn: "stamps on",
  rewards: "rewards",
  times: "times",
  card: "Card",
  anyCard: "any card",
  noCard: "Choose a card…",
  gone: "one that is gone",
  tag: "Tag",
  noTag: "Choose a tag…",
  segment: "Segment",
  noSegment: "Choose a segment…",
  key: "Name of the note",
  keyHint: "birthday, or address.city",
  value: "Value",
  from: "From the day",
  month: "Month",
  what: "What",
  wallet: "Wallet",
  channel: "Channel",
  consent: "Consent",
  language: "As de or en-GB",
  other: "Another condition",
  otherHint: "This screen can’t show it; it counts all the same.",
} as const;

/** What stands at a condition that can't be counted yet. */
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
  notDone: "Finish or remove what is marked.",
} as const;
