import type { SegmentFilter } from "./segment-filter.js";

/** The most characters that the texts of the cached filters have together. The filters take about three times as many bytes. */
const MAX_CHARACTERS = 8_000_000;

/** The filters by their text, least recently used first. */
const cached = new Map<string, SegmentFilter>();
let characters = 0;

/**
 * Reads the text of a filter that was checked before. It returns the same frozen object for the same text while that is cached,
 * so that plans can be cached by the object.
 */
export function readFilter(text: string): SegmentFilter {
  const known = cached.get(text);
  const filter = known ?? deepFreeze(JSON.parse(text));
  if (known === undefined) characters += text.length;
  cached.delete(text);
  cached.set(text, filter);
  for (const oldest of cached.keys()) {
    if (characters <= MAX_CHARACTERS) break;
    cached.delete(oldest);
    characters -= oldest.length;
  }
  return filter;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
