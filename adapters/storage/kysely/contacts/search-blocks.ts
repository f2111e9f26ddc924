/**
 * Number of consecutive ordinals in a block. Indexing a single user would cost more than writing the user's row, so all of a
 * block's users are added to the search index together once the block's last ordinal has been assigned. Until then, searches scan
 * the users' rows.
 */
export const USERS_OF_BLOCK = 256;

/** Returns the number of the block that contains an ordinal, counting blocks from 0. */
export function blockOf(ordinal: number): number {
  return Math.floor(ordinal / USERS_OF_BLOCK);
}

/** Returns a block's ordinals as a range from `from` (inclusive) to `to` (exclusive). */
export function boundsOfBlock(block: number): { readonly from: number; readonly to: number } {
  return { from: block * USERS_OF_BLOCK, to: (block + 1) * USERS_OF_BLOCK };
}

/**
 * Returns the lowest ordinal whose user might be missing from the search index.
 * @param next the ordinal that the next user will have, or a lower number that is still greater than all users' ordinals.
 */
export function firstUnindexedOrdinal(next: number): number {
  return boundsOfBlock(blockOf(next)).from;
}
