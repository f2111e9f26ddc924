import { transliterate } from "transliteration";
import { normalizeNfc } from "./text.js";

const MAX_SLUG_LENGTH = 100;

/**
 * Returns the slug for a tag name: transliterated to ASCII, lowercased, with each run of characters other than letters and digits
 * replaced with one hyphen, no hyphen at either end, and at most 100 characters. Returns an empty string if the name has no letters
 * or digits to use. The slug of a slug is the slug itself.
 */
export function toSlug(name: string): string {
  // ASCII needs no transliteration; the lookup would take three times as long as the rest of this function.
  const ascii = /\P{ASCII}/u.test(name) ? transliterate(normalizeNfc(name)) : name;
  const words = ascii.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const start = words.startsWith("-") ? 1 : 0;
  const slug = words.slice(start, start + MAX_SLUG_LENGTH);
  return slug.endsWith("-") ? slug.slice(0, -1) : slug;
}

/** Returns whether a string is exactly a slug. */
export function isSlug(value: string): boolean {
  return value !== "" && value.length <= MAX_SLUG_LENGTH && toSlug(value) === value;
}
