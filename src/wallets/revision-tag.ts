import { createHash } from "node:crypto";
import type { OwnedWalletCard } from "../storage/wallets.js";

/*
 * A device has passes of several organizations, whose revisions know nothing of each other. Its tag is a list of them:
 * for each organization the newest revision that it has heard of.
 */

const NAME_LENGTH = 10;

/** No device has passes of more organizations; behind that its tag would not fit into a URL. */
const MAX_PARTS = 200;

const form = /^(?:[A-Za-z0-9_-]{10}[0-9]{1,16})(?:\.[A-Za-z0-9_-]{10}[0-9]{1,16})*$/;

/** The newest revision of the cards of each organization, by the organization's short name. */
export type Revisions = ReadonlyMap<string, number>;

/** Reads a tag. One that is not ours says nothing: then everything is new. */
export function parseRevisionTag(tag: string | null): Revisions {
  if (tag === null || tag.length > MAX_PARTS * (NAME_LENGTH + 18) || !form.test(tag)) return new Map();
  return new Map(tag.split(".").map((part) => [part.slice(0, NAME_LENGTH), Number(part.slice(NAME_LENGTH))]));
}

/** The cards that changed since, and the tag of a device that has heard of them all. */
export function findChangedCards(
  cards: readonly OwnedWalletCard[],
  known: Revisions,
): { readonly changed: readonly OwnedWalletCard[]; readonly tag: string } {
  const newest = new Map<string, number>();
  const changed: OwnedWalletCard[] = [];
  for (const owned of cards) {
    const name = shortName(owned.organizationId);
    const { revision } = owned.card;
    newest.set(name, Math.max(revision, newest.get(name) ?? 0));
    if (revision > (known.get(name) ?? -1)) changed.push(owned);
  }
  const parts = [...newest].sort().slice(0, MAX_PARTS);
  return { changed, tag: parts.map(([name, revision]) => `${name}${revision}`).join(".") };
}

function shortName(organizationId: string): string {
  return createHash("sha256").update(organizationId).digest("base64url").slice(0, NAME_LENGTH);
}
