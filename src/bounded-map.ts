/**
 * Puts an entry at the end of a map that keeps so many of them: the one that was put least lately goes.
 * @returns the one that went.
 */
export function putAndEvict<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): readonly [Key, Value] | undefined {
  // A map keeps the order of insertion, and what is set anew its old place.
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return undefined;
  const [oldest] = map;
  if (oldest !== undefined) map.delete(oldest[0]);
  return oldest;
}
