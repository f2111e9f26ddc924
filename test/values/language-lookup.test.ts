import { describe, expect, it } from "vitest";
import { findClosestLanguage, lookUpLanguage } from "../../src/base/values/language-lookup.js";

type Entry = { readonly language: string };

const entries: readonly [Entry, ...Entry[]] = [
  { language: "en" },
  { language: "de" },
  { language: "zh-Hant" },
  { language: "pt-BR" },
];

describe("looking a language up", () => {
  it.each([
    ["de", "de"],
    ["DE-at", "de"],
    ["zh-Hant-CN-x-private1", "zh-Hant"],
    ["zh-Hans", undefined],
    ["pt", undefined],
    ["fr", undefined],
    ["", undefined],
  ])("finds for %j the entry %j", (wished, found) => {
    expect(lookUpLanguage(entries, wished)?.language).toBe(found);
  });

  it("takes the same language of elsewhere, and then the first, where there is no better one", () => {
    const found = ["de-CH", "pt", "zh", "fr", ""].map(
      (wished) => findClosestLanguage(entries, wished).language,
    );
    expect(found).toEqual(["de", "pt-BR", "zh-Hant", "en", "en"]);
  });
});
