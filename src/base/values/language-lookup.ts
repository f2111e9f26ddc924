/**
 * Finds the entry for a BCP 47 language tag with the lookup algorithm from RFC 4647, section 3.4, so `de-AT` finds `de`.
 * @returns the entry, or `null` if no entry matches.
 */
export function lookUpLanguage<Entry extends { readonly language: string }>(
  entries: readonly Entry[],
  requested: string,
): Entry | null {
  const subtags = requested.toLowerCase().split("-");
  for (; subtags.length > 0; subtags.pop()) {
    const language = subtags.join("-");
    const match = entries.find((entry) => entry.language.toLowerCase() === language);
    if (match !== undefined) return match;
  }
  return null;
}

/**
 * Finds the entry for a preferred language, like {@link lookUpLanguage}. If no entry matches, falls back to an entry for the same
 * language in another region, and then to the first entry.
 */
export function findClosestLanguage<Entry extends { readonly language: string }>(
  entries: readonly [Entry, ...Entry[]],
  requested: string,
): Entry {
  const [first] = entries;
  const isSame = ({ language }: Entry) => primarySubtag(language) === primarySubtag(requested);
  return lookUpLanguage(entries, requested) ?? entries.find(isSame) ?? first;
}

function primarySubtag(language: string): string {
  return language.toLowerCase().split("-", 1)[0] ?? "";
}
