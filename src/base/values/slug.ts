import { transliterate } from "transliteration";
import { normalizeNfc } from "./text.js";

const MAX_SLUG_LENGTH = 100;

/**
 * Converts a tag name to a slug. The name is transliterated to ASCII and lowercased, and each run of characters other than letters
 * and digits becomes one hyphen. A slug has at most 100 characters and no hyphen at either end. Returns an empty string if the name
 * contains no usable letters or digits. Converting a slug returns it unchanged.
 */
export function toSlug(name: string): string {
  // ASCII needs no transliteration; the lookup would take three times as long as the rest of this function.
  const ascii = /\P{ASCII}/u.test(name) ? transliterate(normalizeNfc(name)) : name;
  const words = ascii.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const start = words.startsWith("-") ? 1 : 0;
  const slug = words.slice(start, start + MAX_SLUG_LENGTH);
  return slug.endsWith("-") ? slug.slice(0, -1) : slug;
}

/** Returns whether a string is a valid slug, which means that {@link toSlug} returns it unchanged. */
export function isSlug(value: string): boolean {
  return value !== "" && value.length <= MAX_SLUG_LENGTH && toSlug(value) === value;
}
