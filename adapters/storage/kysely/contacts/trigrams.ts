import { BETWEEN_FOLDS } from "./search-text.js";

/** Maximum number of trigrams per term. More would hardly narrow a search in practice. */
const MOST_PIECES_OF_TERM = 32;

/** Number of trigrams to try first. They usually suffice, and each further trigram that many users have takes time. */
const FIRST_PIECES_OF_TERM = 12;

/**
 * Returns the trigrams that the search index stores for a user. A trigram is three consecutive UTF-16 code units of a case-folded
 * field, stored as a 24-bit hash. Different trigrams can have the same hash.
 */
export function trigramsOfUser(searchText: string): ReadonlySet<number> {
  const pieces = new Set<number>();
  for (const fold of searchText.split(BETWEEN_FOLDS)) addPieces(pieces, fold);
  return pieces;
}

/**
 * Returns lists of trigrams that each match of the search term must contain. Try the lists in order. The first list contains only
 * a few trigrams, and the second contains more. Returns an empty array if the term is too short.
 */
export function trigramsOfTerm(term: string): readonly (readonly number[])[] {
  const pieces = new Set<number>();
  addPieces(pieces, term);
  const all = [...pieces].slice(0, MOST_PIECES_OF_TERM);
  if (all.length === 0) return [];
  return all.length <= FIRST_PIECES_OF_TERM ? [all] : [all.slice(0, FIRST_PIECES_OF_TERM), all];
}

/** Returns the 32-bit FNV-1a hash of an organization's ID. Different organizations can have the same hash. */
export function hashOfOrganization(organizationId: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < organizationId.length; at += 1) {
    hash = Math.imul(hash ^ organizationId.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

function addPieces(pieces: Set<number>, text: string): void {
  for (let at = 0; at + 2 < text.length; at += 1) {
    pieces.add(hashTrigram(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)));
  }
}

function hashTrigram(a: number, b: number, c: number): number {
  return Math.imul(Math.imul(Math.imul(a, 8_191) + b, 8_191) + c, 0x9e3779b1) >>> 8;
}
