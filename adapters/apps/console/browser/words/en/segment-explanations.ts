import { countText, dayText, momentText } from "./forms.js";

/** UI text that explains why a customer is or isn't in a segment. */
export const why = {
  ask: "Why?",
  asked: (name: string) => `Why is ${name} in this segment?`,
  title: (customer: string, segment: string, isIn: boolean) =>
    isIn ? `${customer} is in “${segment}”` : `${customer} isn’t in “${segment}”`,
  anybody: "Check a customer",
  choose: "Choose a segment…",
  panel: "Segments",
  hint: "See whether the customer is in a segment, and why.",
  is: "true",
  isNot: "false",
  all: "All of these must be true:",
  any: "At least one of these must be true:",
  none: "All of these must be false:",
  goes: (at: string) =>
    `Unless the customer visits or something else changes, this changes on ${dayText(at)}.`,
  leaves: (at: string) =>
    `Stays true until ${dayText(at)} unless the customer visits or something else changes.`,
  enters: (at: string) =>
    `Becomes true on ${dayText(at)} unless the customer visits or something else changes.`,
  since: (at: string) => `since ${dayText(at)}`,
  stays: "This doesn’t change over time.",
  close: "Close",
} as const;

/** Text that describes a customer's current value for each type of condition. */
export const has = {
  tag: (isSo: boolean) => (isSo ? "has the tag" : "doesn’t have the tag"),
  noCard: "no card",
  onCards: (counts: string) => `${counts} on the cards`,
  stamps: (count: number) => (count === 0 ? "no stamps" : countText(count, "stamp")),
  points: (count: number) => (count === 0 ? "no points" : countText(count, "point")),
  purchases: (count: number) => (count === 0 ? "no purchases" : countText(count, "purchase")),
  rewards: (count: number) => (count === 0 ? "no reward" : countText(count, "reward")),
  completions: (count: number) => (count === 0 ? "never" : countText(count, "time")),
  lastVisit: (at: string) => `last visited on ${momentText(at)}`,
  neverHere: "no visits yet",
  noVisits: "no visits",
  visits: (count: number, newest: string) => `${countText(count, "visit")}, the last on ${dayText(newest)}`,
  manyVisits: (count: number, newest: string) => `more than ${count} visits, the last on ${dayText(newest)}`,
  joined: (at: string) => `signed up on ${dayText(at)}`,
  field: (isKnown: boolean) => (isKnown ? "is set" : "isn’t set"),
  noWallet: "not in a wallet",
  wallets: (names: readonly string[]) => `in ${names.join(" and ")}`,
  anyWallet: "a wallet",
  consent: (status: string, channel: string) => `${status} ${channel}`,
  nothing: "not set",
} as const;
