/** Maximum number of IDs, ordinals or rows that one call of the storage port takes. */
const MAX_PER_CALL = 1_000;

/**
 * Splits an array into batches.
 * @param size the maximum number of items in a batch. Default: 1,000, the maximum for one storage call.
 */
export function* splitIntoBatches<T>(
  all: readonly T[],
  size = MAX_PER_CALL,
): Generator<T[], void, undefined> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}
