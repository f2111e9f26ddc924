/** The global object, which has no navigator in Node.js 20, where tests read the words. */
const browser = globalThis as { readonly navigator?: { readonly languages: readonly string[] } };

/** Returns the first locale in a language that the browser prefers, such as `en-GB` for `en`. Default: the language. */
export function browserLocale(
  language: string,
  preferred: readonly string[] = browser.navigator?.languages ?? [],
): string {
  return preferred.find((locale) => locale.split("-")[0] === language) ?? language;
}

/** Returns the formatters of numbers, days and counts in a locale. @param language such as `de` or `en-GB`. */
export function createForms(language: string) {
  const numbers = new Intl.NumberFormat(language);
  const plurals = new Intl.PluralRules(language);
  const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
  const moments = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

  /** 12,345 */
  const numberText = (value: number) => numbers.format(value);
  return {
    language,
    numberText,
    /** Nov 3, 2026 */
    dayText: (timestamp: string) => days.format(new Date(timestamp)),
    /** Nov 3, 2026, 2:05 PM */
    momentText: (timestamp: string) => moments.format(new Date(timestamp)),
    /** 1 stamp, 2 stamps */
    countText: (count: number, one: string, many: string) =>
      `${numberText(count)} ${plurals.select(count) === "one" ? one : many}`,
    /** Returns the word for one thing or for several, without the number. */
    pluralOf: (count: number, one: string, many: string) => (plurals.select(count) === "one" ? one : many),
  };
}
