import type { SegmentFilter } from "./filter-schema.js";

/** Maximum total length of the cached filters' JSON, in characters. The parsed filters take about three times as many bytes. */
const MAX_CHARACTERS = 8_000_000;

/** Parsed filters, keyed by their JSON, least recently used first. */
const parsedFilters = new Map<string, SegmentFilter>();
let characters = 0;

/**
 * Parses the JSON of a validated filter. While a filter is cached, parsing the same JSON again returns the same frozen object, so
 * plans can be cached by object identity.
 */
export function readFilter(text: string): SegmentFilter {
  const cachedFilter = parsedFilters.get(text);
  const filter = cachedFilter ?? deepFreeze(JSON.parse(text));
  if (cachedFilter === undefined) characters += text.length;
  parsedFilters.delete(text);
  parsedFilters.set(text, filter);
  for (const oldest of parsedFilters.keys()) {
    if (characters <= MAX_CHARACTERS) break;
    parsedFilters.delete(oldest);
    characters -= oldest.length;
  }
  return filter;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
