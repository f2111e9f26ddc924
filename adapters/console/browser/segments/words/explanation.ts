import type { ExplainedLeaf } from "../../../../../src/resources/segment-explanation.js";
import { counted, dayText, momentText } from "../../words/en/forms.js";
import { channels, consents } from "./conditions.js";

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
  nothing: "nothing is known",
  close: "Close",
} as const;

const numbersText = (actual: unknown, one: string, none: string): string => {
  if (!Array.isArray(actual) || actual.length === 0) return "no card";
  const [only] = actual;
  return actual.length === 1
    ? only === 0
      ? none
      : counted(Number(only), one)
    : `${actual.join(", ")} on the cards`;
};

/** What the customer has of what a condition asks for. */
export function actualText(leaf: ExplainedLeaf): string {
  const { actual } = leaf;
  if (leaf.slug !== undefined) return actual === true ? "has the tag" : "does not have the tag";
  if (leaf.stamps !== undefined) return numbersText(actual, "stamp", "no stamps");
  if (leaf.rewards !== undefined) return numbersText(actual, "reward", "no reward");
  if (leaf.completions !== undefined) return numbersText(actual, "time", "never");
  if (leaf.lastVisit !== undefined)
    return typeof actual === "string" ? `last visit on ${momentText(actual)}` : "never here";
  if (leaf.visits !== undefined) return visitsText(actual);
  if (leaf.joined !== undefined)
    return typeof actual === "string" ? `joined on ${dayText(actual)}` : why.nothing;
  if (leaf.field !== undefined) return actual === true ? "is known" : "is missing";
  if (leaf.wallet !== undefined) return walletsText(actual);
  if (leaf.subscription !== undefined) return consentText(leaf.subscription.channel, actual);
  if (actual === null || actual === undefined) return why.nothing;
  return typeof actual === "string" ? actual : JSON.stringify(actual);
}

function visitsText(actual: unknown): string {
  if (!Array.isArray(actual) || actual.length === 0) return "no visits";
  const newest = String(actual[0]);
  const many = actual.length > 10 ? "more than 10 visits" : counted(actual.length, "visit");
  return `${many}, the last on ${dayText(newest)}`;
}

const wallets: Readonly<Record<string, string>> = {
  apple: "Apple Wallet",
  google: "Google Wallet",
  other: "a wallet",
};

function walletsText(actual: unknown): string {
  if (!Array.isArray(actual) || actual.length === 0) return "in no wallet";
  return `in ${actual.map((platform) => wallets[String(platform)] ?? String(platform)).join(" and ")}`;
}

function consentText(channel: string, actual: unknown): string {
  const status = consents.find(([value]) => value === actual)?.[1] ?? String(actual);
  return `${status} ${channels.find(([value]) => value === channel)?.[1] ?? channel}`;
}
