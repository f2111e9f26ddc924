import type { SegmentFilter } from "./filter-schema.js";

/** Maximum total length of the cached filters' JSON, in characters. The parsed filters take about three times as many bytes. */
const MAX_CHARACTERS = 8_000_000;

/** Parsed filters, keyed by their JSON, least recently used first. */
const cached = new Map<string, SegmentFilter>();
let characters = 0;

/**
 * Parses the JSON of a validated filter. While a filter is cached, parsing the same JSON again returns the same frozen object, so
 * plans can be cached by object identity.
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
