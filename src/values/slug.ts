import { transliterate } from "transliteration";
import { normalizeNfc } from "./text.js";

const MAX_SLUG_LENGTH = 100;

/**
 * The slug of a tag name: transliterated to ASCII, lower-cased, runs of anything but letters and digits become
 * one hyphen, none at either end, at most 100 characters. Empty when the name has nothing to make a slug from.
 * The slug of a slug is itself.
 */
export function toSlug(name: string): string {
  // ASCII is its own transliteration; to look that up takes three times as long as all the rest.
  const ascii = /\P{ASCII}/u.test(name) ? transliterate(normalizeNfc(name)) : name;
  const words = ascii.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const start = words.startsWith("-") ? 1 : 0;
  const slug = words.slice(start, start + MAX_SLUG_LENGTH);
  return slug.endsWith("-") ? slug.slice(0, -1) : slug;
}

/** Returns whether a text is a slug to the letter. */
export function isSlug(value: string): boolean {
  return value !== "" && value.length <= MAX_SLUG_LENGTH && toSlug(value) === value;
}
