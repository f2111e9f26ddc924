import { describe, expect, it } from "vitest";
import { presetTexts } from "../../adapters/apps/console/browser/automations/preset-texts.js";
import {
  pickDefaultLanguage,
  pickPresetLanguage,
} from "../../adapters/apps/console/browser/components/first-language.js";

const cardIn = (...languages: string[]) => ({
  design: { texts: languages.map((language) => ({ language })) },
});

describe("a new customer text in an English console", () => {
  it("starts in the card's language, otherwise the shop's, otherwise the console's", () => {
    expect(pickDefaultLanguage({ template: cardIn("pt-BR", "de"), shop: "de-AT" })).toBe("pt-BR");
    expect(pickDefaultLanguage({ template: cardIn(), shop: "de-AT" })).toBe("de-AT");
    expect(pickDefaultLanguage({ template: { design: null }, shop: "fr" })).toBe("fr");
    expect(pickDefaultLanguage({ template: undefined, shop: null })).toBe("en");
  });

  it("gets its preset in the first of these languages that has one", () => {
    expect(pickPresetLanguage({ template: cardIn("de-CH"), shop: "en" })).toBe("de");
    expect(pickPresetLanguage({ template: cardIn("fr"), shop: "de" })).toBe("de");
    expect(pickPresetLanguage({ template: cardIn("fr"), shop: null })).toBe("en");
    expect(pickPresetLanguage({ template: undefined, shop: "de-AT" })).toBe("de");
  });

  it("has presets with the same placeholders in each language", () => {
    const listPlaceholders = (texts: object) =>
      Object.values(texts).map((text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort());
    for (const [kind, { card, plain }] of Object.entries(presetTexts.en)) {
      const german = Object.entries(presetTexts.de).find(([each]) => each === kind)?.[1];
      expect([german?.card, german?.plain].map((texts) => listPlaceholders(texts ?? {}))).toEqual(
        [card, plain].map(listPlaceholders),
      );
    }
  });
});
