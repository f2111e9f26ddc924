/**
 * Puts an entry at the end of a map of limited size, and evicts the least recently put one.
 * @returns the evicted one.
 */
export function putAndEvict<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): readonly [Key, Value] | undefined {
  // A map keeps the order of insertion, and a key that is set again its old place.
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return undefined;
  const [oldest] = map;
  if (oldest !== undefined) map.delete(oldest[0]);
  return oldest;
}
