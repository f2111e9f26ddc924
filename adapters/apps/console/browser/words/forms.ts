/** The global object. In Node.js 20, where tests read these texts, it has no `navigator`. */
const browser = globalThis as { readonly navigator?: { readonly languages: readonly string[] } };

/**
 * Returns the browser's most preferred locale for a language, such as `en-GB` for `en`. If no preferred locale matches, returns the
 * language itself.
 * @param preferred the preferred locales, most preferred first. Defaults to the browser's.
 */
export function browserLocale(
  language: string,
  preferred: readonly string[] = browser.navigator?.languages ?? [],
): string {
  return preferred.find((locale) => locale.split("-")[0] === language) ?? language;
}

/**
 * Returns formatters for numbers, dates, and counts in a locale such as `de` or `en-GB`, together with the locale and its language.
 */
export function createForms(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
  const moments = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

  /** Formats a number, such as "12,345". */
  const numberText = (value: number) => numbers.format(value);
  return {
    locale,
    language: new Intl.Locale(locale).language,
    numberText,
    /** Formats a date, such as "Nov 3, 2026". */
    dayText: (timestamp: string) => days.format(new Date(timestamp)),
    /** Formats a date and time, such as "Nov 3, 2026, 2:05 PM". */
    momentText: (timestamp: string) => moments.format(new Date(timestamp)),
    /** Formats an amount in minor units, such as "€12.50" for 1250. */
    moneyText: (minorUnits: number, currency: string) => {
      const money = new Intl.NumberFormat(locale, { style: "currency", currency });
      const { maximumFractionDigits: digits = 2 } = money.resolvedOptions();
      return money.format(minorUnits / 10 ** digits);
    },
    /** Formats a number with a noun, such as "1 stamp" or "2 stamps". */
    countText: (count: number, one: string, many: string) =>
      `${numberText(count)} ${plurals.select(count) === "one" ? one : many}`,
    /** Returns the singular or plural of a noun, without the number. */
    pluralOf: (count: number, one: string, many: string) => (plurals.select(count) === "one" ? one : many),
  };
}
