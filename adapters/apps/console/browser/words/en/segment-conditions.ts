import { language } from "./forms.js";

// UI text for the controls that edit conditions. The builder's text is in `segment-builder.ts`, and the sentences are in
// `segment-phrases.ts`.

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
  ["text", "is"],
  ["number", "is the number"],
  ["yes", "is true"],
  ["no", "is false"],
  ["between", "is a number from"],
  ["withinDays", "is within the last"],
  ["beforeDays", "is a date more than"],
  ["exists", "is set"],
  ["missing", "isn’t set"],
] as const;

const monthName = new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" });

export const months: readonly (readonly [string, string])[] = [
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
  ["true", "is set"],
  ["false", "isn’t set"],
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
  ["email", "by email"],
  ["wallet", "on the wallet card"],
] as const;

export const consents = [
  ["SUBSCRIBED", "opted in to news"],
  ["UNSUBSCRIBED", "unsubscribed from news"],
  ["PENDING", "hasn’t confirmed yet"],
  ["NONE", "wasn’t asked"],
] as const;

/** Returns the text that follows a number of days: "days ago" for the comparison `beforeDays`, or "days" for any other. */
export const daysBack = ({ way }: Readonly<Record<string, string>>): string =>
  way === "beforeDays" ? "days ago" : "days";

/** Labels for the controls that edit a condition, and the text between the controls. */
export const labels = {
  way: "Comparison",
  days: "Days",
  least: "At least",
  most: "At most",
  and: "and",
  to: "Before",
  until: "and before",
  upTo: "to",
  daysAfter: "days",
  visitsIn: "visits in the last",
  stampsOn: "stamps on",
  pointsOn: "points on",
  daysOn: "days, on",
  purchasesIn: "purchases in the last",
  minorUnits: "cents (or other minor units)",
  currency: "Currency, such as EUR",
  daysBack: "In the last",
  rewards: "rewards",
  times: "times",
  card: "Card",
  anyCard: "any card",
  noCard: "Choose a card…",
  gone: "deleted",
  tag: "Tag",
  noTag: "Choose a tag…",
  segment: "Segment",
  noSegment: "Choose a segment…",
  key: "Name of the note",
  keyHint: "For example, birthday or address.city",
  value: "Value",
  from: "From",
  month: "Month",
  what: "What",
  wallet: "Wallet",
  channel: "Channel",
  consent: "Consent",
  language: "For example, de or en-GB",
  other: "Custom condition",
} as const;

export const incompleteFilter = "Complete or remove the marked conditions.";
