import { createHash } from "node:crypto";
import type { OwnedWalletCard } from "../storage/wallets.js";

/*
 * A device can have passes from several organizations, whose revisions are independent. Its tag therefore lists, for each
 * organization, the newest revision that the device knows.
 */

const NAME_LENGTH = 10;

/**
 * Maximum number of organizations in a tag. A longer tag wouldn't fit into a URL, and no device has passes from more organizations.
 */
const MAX_PARTS = 200;

const form = /^(?:[A-Za-z0-9_-]{10}[0-9]{1,16})(?:\.[A-Za-z0-9_-]{10}[0-9]{1,16})*$/;

/**
 * The newest card revision that a device knows for each organization, keyed by a ten-character name that identifies the
 * organization.
 */
export type Revisions = ReadonlyMap<string, number>;

/**
 * Parses the revision tag that a device sent. A missing or malformed tag counts as empty, so all of the device's cards count as
 * changed.
 */
export function parseRevisionTag(tag: string | null): Revisions {
  if (tag === null || tag.length > MAX_PARTS * (NAME_LENGTH + 18) || !form.test(tag)) return new Map();
  return new Map(tag.split(".").map((part) => [part.slice(0, NAME_LENGTH), Number(part.slice(NAME_LENGTH))]));
}

/**
 * Finds the cards that are newer than the revisions a device knows.
 * @returns the changed cards, and the tag for a device that has the current revisions of all the cards.
 */
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
