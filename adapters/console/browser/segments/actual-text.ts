import type { ExplainedLeaf } from "../../../../src/resources/segment-explanation.js";
import { channels, consents } from "../words/en/segment-conditions.js";
import { has } from "../words/en/segment-explanations.js";

/** The visits that an explanation counts one by one. */
const MOST_VISITS = 10;

/** What the customer has of what a condition asks for. */
export function actualText(leaf: ExplainedLeaf): string {
  const { actual } = leaf;
  if (leaf.slug !== undefined) return has.tag(actual === true);
  if (leaf.stamps !== undefined) return countText(actual, has.stamps);
  if (leaf.rewards !== undefined) return countText(actual, has.rewards);
  if (leaf.completions !== undefined) return countText(actual, has.completions);
  if (leaf.lastVisit !== undefined) return typeof actual === "string" ? has.lastVisit(actual) : has.neverHere;
  if (leaf.visits !== undefined) return visitsText(actual);
  if (leaf.joined !== undefined) return typeof actual === "string" ? has.joined(actual) : has.nothing;
  if (leaf.field !== undefined) return has.field(actual === true);
  if (leaf.wallet !== undefined) return walletsText(actual);
  if (leaf.subscription !== undefined) return consentText(leaf.subscription.channel, actual);
  if (actual === null || actual === undefined) return has.nothing;
  return typeof actual === "string" ? actual : JSON.stringify(actual);
}

function countText(actual: unknown, textOf: (count: number) => string): string {
  if (!Array.isArray(actual) || actual.length === 0) return has.noCard;
  return actual.length === 1 ? textOf(Number(actual[0])) : has.onCards(actual.join(", "));
}

function visitsText(actual: unknown): string {
  if (!Array.isArray(actual) || actual.length === 0) return has.noVisits;
  const newest = String(actual[0]);
  return actual.length > MOST_VISITS
    ? has.manyVisits(MOST_VISITS, newest)
    : has.visits(actual.length, newest);
}

const wallets: Readonly<Record<string, string>> = {
  apple: "Apple Wallet",
  google: "Google Wallet",
  other: has.anyWallet,
};

function walletsText(actual: unknown): string {
  if (!Array.isArray(actual) || actual.length === 0) return has.noWallet;
  return has.wallets(actual.map((platform) => wallets[String(platform)] ?? String(platform)));
}

function consentText(channel: string, actual: unknown): string {
  const status = consents.find(([value]) => value === actual)?.[1] ?? String(actual);
  return has.consent(status, channels.find(([value]) => value === channel)?.[1] ?? channel);
}
