import { describe, expect, it } from "vitest";
import { browserLocale, createForms } from "../../adapters/apps/console/browser/words/forms.js";

describe("dates, times and numbers of the console", () => {
  const timestamp = "2026-11-03T14:05:00Z";

  it.each([
    ["en", ["en-GB", "en"], "3 Nov 2026", "12,345"],
    ["en", ["fr-FR", "en-US"], "Nov 3, 2026", "12,345"],
    ["de", ["fr-FR", "de-DE"], "03.11.2026", "12.345"],
    ["en", ["fr-FR"], "Nov 3, 2026", "12,345"],
  ])(
    "are formatted in %s for a browser with the languages %j",
    (language, preferredLanguages, day, number) => {
      const { dayText, numberText } = createForms(browserLocale(language, preferredLanguages));
      expect([dayText(timestamp), numberText(12_345)]).toEqual([day, number]);
    },
  );

  it.each([
    ["en-US", 1_250, "EUR", "€12.50"],
    ["de-DE", 1_250, "EUR", "12,50\u00a0€"],
    ["en-US", 1_250, "JPY", "¥1,250"],
    ["en-US", 1_250, "KWD", "KWD\u00a01.250"],
  ])(
    "include amounts, formatted for %s with the decimals of their currency: %i %s",
    (locale, amount, currency, text) => {
      expect(createForms(locale).moneyText(amount, currency)).toBe(text);
    },
  );

  it("don't put a region into the language of customer texts", () => {
    expect(createForms(browserLocale("en", ["en-GB"])).language).toBe("en");
  });

  it("use 24 hours in Britain, and 12 in the United States", () => {
    const formatTime = (locale: string) => createForms(browserLocale("en", [locale])).momentText(timestamp);
    expect(formatTime("en-GB")).toMatch(/, \d\d:05$/);
    expect(formatTime("en-US")).toMatch(/:05\s[AP]M$/);
  });
});
