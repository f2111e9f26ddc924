/**
 * Number of users in a block. They enter the search index together when the block's last ordinal is assigned, because indexing each
 * user alone would cost more than writing the user's row. Until then, a search reads their rows.
 */
export const USERS_OF_BLOCK = 256;

/** Returns the block that contains an ordinal. */
export function blockOf(ordinal: number): number {
  return Math.floor(ordinal / USERS_OF_BLOCK);
}

/** Returns a block's range of ordinals: `from` is inclusive, `to` exclusive. */
export function boundsOfBlock(block: number): { readonly from: number; readonly to: number } {
  return { from: block * USERS_OF_BLOCK, to: (block + 1) * USERS_OF_BLOCK };
}

/**
 * Returns the first ordinal whose user may be missing from the index.
 * @param next the next user's ordinal, or any lower number that is greater than all users' ordinals.
 */
export function firstUnindexedOrdinal(next: number): number {
  return boundsOfBlock(blockOf(next)).from;
}
