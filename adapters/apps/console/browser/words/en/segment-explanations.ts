import { countText, dayText, momentText } from "./forms.js";

/** UI text that explains why a customer is or isn't in a segment. */
export const why = {
  ask: "Why?",
  asked: (name: string) => `Why is ${name} in it?`,
  title: (customer: string, segment: string, isIn: boolean) =>
    isIn ? `${customer} is in “${segment}”` : `${customer} isn’t in “${segment}”`,
  anybody: "Why is a customer in it, or not?",
  choose: "Choose a segment…",
  panel: "Segments",
  hint: "Whether the customer is in a segment, and why.",
  is: "true",
  isNot: "false",
  all: "All of these must be true:",
  any: "At least one of these must be true:",
  none: "None of these may be true:",
  goes: (at: string) => `Without a visit or other change, this changes on ${dayText(at)}.`,
  leaves: (at: string) => `Without a visit or other change: until ${dayText(at)}.`,
  enters: (at: string) => `Without a visit or other change: from ${dayText(at)}.`,
  since: (at: string) => `since ${dayText(at)}`,
  stays: "Time alone doesn’t change this.",
  close: "Close",
} as const;

/** Text that describes a customer's current value for each type of condition. */
export const has = {
  tag: (isSo: boolean) => (isSo ? "has the tag" : "doesn’t have the tag"),
  noCard: "no card",
  onCards: (counts: string) => `${counts} on the cards`,
  stamps: (count: number) => (count === 0 ? "no stamps" : countText(count, "stamp")),
  rewards: (count: number) => (count === 0 ? "no reward" : countText(count, "reward")),
  completions: (count: number) => (count === 0 ? "never" : countText(count, "time")),
  lastVisit: (at: string) => `last visit on ${momentText(at)}`,
  neverHere: "no visits yet",
  noVisits: "no visits",
  visits: (count: number, newest: string) => `${countText(count, "visit")}, the last on ${dayText(newest)}`,
  manyVisits: (count: number, newest: string) => `more than ${count} visits, the last on ${dayText(newest)}`,
  joined: (at: string) => `joined on ${dayText(at)}`,
  field: (isKnown: boolean) => (isKnown ? "is set" : "isn’t set"),
  noWallet: "not in a wallet",
  wallets: (names: readonly string[]) => `in ${names.join(" and ")}`,
  anyWallet: "a wallet",
  consent: (status: string, channel: string) => `${status} ${channel}`,
  nothing: "not set",
} as const;
