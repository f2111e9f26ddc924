import type { ExplainedLeaf } from "../../../../../src/segments/explanation-schema.js";
import { channels, consents } from "../words/en/segment-conditions.js";
import { has } from "../words/en/segment-explanations.js";

/** Maximum number of visits that an explanation shows as an exact number. */
const MOST_VISITS = 10;

/** Describes the customer's current value for a condition, such as their number of stamps. */
export function currentValueText(leaf: ExplainedLeaf): string {
  const { currentValue } = leaf;
  if (leaf.slug !== undefined) return has.tag(currentValue === true);
  if (leaf.stamps !== undefined) return countText(currentValue, has.stamps);
  if (leaf.rewards !== undefined) return countText(currentValue, has.rewards);
  if (leaf.completions !== undefined) return countText(currentValue, has.completions);
  if (leaf.lastVisit !== undefined)
    return typeof currentValue === "string" ? has.lastVisit(currentValue) : has.neverHere;
  if (leaf.visits !== undefined) return visitsText(currentValue);
  if (leaf.joined !== undefined)
    return typeof currentValue === "string" ? has.joined(currentValue) : has.nothing;
  if (leaf.field !== undefined) return has.field(currentValue === true);
  if (leaf.wallet !== undefined) return walletsText(currentValue);
  if (leaf.subscription !== undefined) return consentText(leaf.subscription.channel, currentValue);
  if (currentValue === null || currentValue === undefined) return has.nothing;
  return typeof currentValue === "string" ? currentValue : JSON.stringify(currentValue);
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
