import type { SegmentFilter } from "./segment-filter.js";

/** The filters whose texts have this many characters together are kept. They take about three times as many bytes. */
const MOST_CHARACTERS = 8_000_000;

/** By text; the one asked for longest ago comes first. */
const kept = new Map<string, SegmentFilter>();
let characters = 0;

/** Reads the text of a filter that was checked: one object for one text as long as it is kept, which nobody can change. */
export function filterFrom(text: string): SegmentFilter {
  const known = kept.get(text);
  const filter = known ?? frozen(JSON.parse(text));
  if (known === undefined) characters += text.length;
  kept.delete(text);
  kept.set(text, filter);
  for (const oldest of kept.keys()) {
    if (characters <= MOST_CHARACTERS) break;
    kept.delete(oldest);
    characters -= oldest.length;
  }
  return filter;
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
