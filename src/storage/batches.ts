/** Maximum number of IDs, ordinals or rows that one call of the storage port takes. */
const MAX_PER_CALL = 1_000;

/** Splits an array into batches of at most 1,000 items, which is the maximum for one storage call. */
export function* splitIntoBatches<T>(all: readonly T[]): Generator<T[], void, undefined> {
  for (let at = 0; at < all.length; at += MAX_PER_CALL) yield all.slice(at, at + MAX_PER_CALL);
}
