import { countText, dayText, momentText } from "./forms.js";

/** All words of why a customer is in a segment, or is not. */
export const why = {
  ask: "Why?",
  asked: (name: string) => `Why is ${name} in it?`,
  title: (customer: string, segment: string, isIn: boolean) =>
    isIn ? `${customer} is in “${segment}”` : `${customer} is not in “${segment}”`,
  anybody: "Why is somebody in it, or not?",
  choose: "Choose a segment…",
  panel: "Segments",
  hint: "Whether the customer is in a segment, and why.",
  is: "so",
  isNot: "not so",
  all: "Customers of whom all of this is so:",
  any: "Customers of whom any of this is so:",
  none: "Customers of whom none of this is so:",
  goes: (at: string) => `With no visit or other change it is otherwise from ${dayText(at)} on.`,
  leaves: (at: string) => `With no visit or other change: until ${dayText(at)}.`,
  enters: (at: string) => `With no visit or other change: from ${dayText(at)} on.`,
  since: (at: string) => `since ${dayText(at)}`,
  stays: "Time alone changes nothing about it.",
  close: "Close",
} as const;

/** A customer's value for each condition. */
export const has = {
  tag: (isSo: boolean) => (isSo ? "has the tag" : "does not have the tag"),
  noCard: "no card",
  onCards: (counts: string) => `${counts} on the cards`,
  stamps: (count: number) => (count === 0 ? "no stamps" : countText(count, "stamp")),
  rewards: (count: number) => (count === 0 ? "no reward" : countText(count, "reward")),
  completions: (count: number) => (count === 0 ? "never" : countText(count, "time")),
  lastVisit: (at: string) => `last visit on ${momentText(at)}`,
  neverHere: "never here",
  noVisits: "no visits",
  visits: (count: number, newest: string) => `${countText(count, "visit")}, the last on ${dayText(newest)}`,
  manyVisits: (count: number, newest: string) => `more than ${count} visits, the last on ${dayText(newest)}`,
  joined: (at: string) => `joined on ${dayText(at)}`,
  field: (isKnown: boolean) => (isKnown ? "is known" : "is missing"),
  noWallet: "in no wallet",
  wallets: (names: readonly string[]) => `in ${names.join(" and ")}`,
  anyWallet: "a wallet",
  consent: (status: string, channel: string) => `${status} ${channel}`,
  nothing: "nothing is known",
} as const;
