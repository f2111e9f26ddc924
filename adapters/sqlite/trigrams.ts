import { BETWEEN_FOLDS } from "../kysely/search-text.js";

/** More would narrow a search no further in practice. */
const MOST_TOKENS_OF_TERM = 32;

/** So many are mostly enough, and each further one that many users have takes time to look at. */
const FIRST_TOKENS_OF_TERM = 12;

/**
 * The words that the index has for a user: each three consecutive UTF-16 units of each fold, as a short hash that
 * begins with one of the organization. Other pieces may have the same hash.
 */
export function tokensOfUser(organizationId: string, searchText: string): string {
  const organization = hashOfOrganization(organizationId);
  const tokens = new Set<string>();
  for (const fold of searchText.split(BETWEEN_FOLDS)) addTokens(tokens, organization, fold);
  return [...tokens].join(" ");
}

/**
 * The words that everybody has who has this term in a fold: at first some of them, and then more. None when the term
 * is too short for any.
 */
export function tokensOfTerm(organizationId: string, term: string): string[] {
  const tokens = new Set<string>();
  addTokens(tokens, hashOfOrganization(organizationId), term);
  const all = [...tokens].slice(0, MOST_TOKENS_OF_TERM);
  if (all.length <= FIRST_TOKENS_OF_TERM) return all.length === 0 ? [] : [all.join(" ")];
  return [all.slice(0, FIRST_TOKENS_OF_TERM).join(" "), all.join(" ")];
}

function addTokens(tokens: Set<string>, organization: string, text: string): void {
  for (let at = 0; at + 2 < text.length; at += 1) {
    const piece = hashOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
    tokens.add(organization + piece.toString(36).padStart(5, "0"));
  }
}

/** 24 bits, which have five digits of base 36. */
function hashOf(a: number, b: number, c: number): number {
  return Math.imul(Math.imul(Math.imul(a, 8_191) + b, 8_191) + c, 0x9e3779b1) >>> 8;
}

/** FNV-1a. Of organizations with the same hash each is still told apart by the row numbers of its users. */
function hashOfOrganization(organizationId: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < organizationId.length; at += 1) {
    hash = Math.imul(hash ^ organizationId.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(36).padStart(7, "0");
}
