/**
 * Sets a key in a size-limited map and makes it the newest entry. If the map is full, evicts the oldest entry.
 * @returns the evicted entry, or `undefined` if none was evicted.
 */
export function putAndEvict<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  maxSize: number,
): readonly [Key, Value] | undefined {
  // A map iterates in insertion order, and setting an existing key keeps its position, so delete the key first.
  map.delete(key);
  map.set(key, value);
  if (map.size <= maxSize) return undefined;
  const [oldest] = map;
  if (oldest !== undefined) map.delete(oldest[0]);
  return oldest;
}
