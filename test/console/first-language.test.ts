import { describe, expect, it } from "vitest";
import { readyTexts } from "../../adapters/console/browser/automations/ready-texts.js";
import { firstLanguage, readyLanguage } from "../../adapters/console/browser/parts/first-language.js";

const cardIn = (...languages: string[]) => ({
  design: { texts: languages.map((language) => ({ language })) },
});

describe("a new text for customers, in a console in English", () => {
  it("begins in the language of the card, else of the shop, else of the console", () => {
    expect(firstLanguage({ template: cardIn("pt-BR", "de"), shop: "de-AT" })).toBe("pt-BR");
    expect(firstLanguage({ template: cardIn(), shop: "de-AT" })).toBe("de-AT");
    expect(firstLanguage({ template: { design: null }, shop: "fr" })).toBe("fr");
    expect(firstLanguage({ template: undefined, shop: null })).toBe("en");
  });

  it("is ready-made in the first of them in which there is one", () => {
    expect(readyLanguage({ template: cardIn("de-CH"), shop: "en" })).toBe("de");
    expect(readyLanguage({ template: cardIn("fr"), shop: "de" })).toBe("de");
    expect(readyLanguage({ template: cardIn("fr"), shop: null })).toBe("en");
    expect(readyLanguage({ template: undefined, shop: "de-AT" })).toBe("de");
  });

  it("has the same placeholders in each language", () => {
    const placeholdersIn = (texts: object) =>
      Object.values(texts).map((text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort());
    for (const [kind, { card, plain }] of Object.entries(readyTexts.en)) {
      const german = Object.entries(readyTexts.de).find(([each]) => each === kind)?.[1];
      expect([german?.card, german?.plain].map((texts) => placeholdersIn(texts ?? {}))).toEqual(
        [card, plain].map(placeholdersIn),
      );
    }
  });
});
