/**
 * The users of a block, who enter the search index together when the last ordinal of the block is taken. Each of them alone
 * would cost more than its row. Until then a search reads their rows.
 */
export const USERS_OF_BLOCK = 256;

/** The block of an ordinal. */
export function blockOf(ordinal: number): number {
  return Math.floor(ordinal / USERS_OF_BLOCK);
}

/** The ordinals of a block: those from `from`, before `to`. */
export function boundsOfBlock(block: number): { readonly from: number; readonly to: number } {
  return { from: block * USERS_OF_BLOCK, to: (block + 1) * USERS_OF_BLOCK };
}

/**
 * The first ordinal whose user may be missing from the index.
 * @param next the ordinal of the next user, or any lower one above all users.
 */
export function firstUnindexedOrdinal(next: number): number {
  return boundsOfBlock(blockOf(next)).from;
}
