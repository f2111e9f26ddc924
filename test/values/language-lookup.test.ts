import { describe, expect, it } from "vitest";
import { findClosestLanguage, lookUpLanguage } from "../../src/base/values/language-lookup.js";

type Entry = { readonly language: string };

const entries: readonly [Entry, ...Entry[]] = [
  { language: "en" },
  { language: "de" },
  { language: "zh-Hant" },
  { language: "pt-BR" },
];

describe("language lookup", () => {
  it.each([
    ["de", "de"],
    ["DE-at", "de"],
    ["zh-Hant-CN-x-private1", "zh-Hant"],
    ["zh-Hans", undefined],
    ["pt", undefined],
    ["fr", undefined],
    ["", undefined],
  ])("matches %j to the entry %j", (wished, found) => {
    expect(lookUpLanguage(entries, wished)?.language).toBe(found);
  });

  it("falls back to the same language of another region, and then to the first entry", () => {
    const found = ["de-CH", "pt", "zh", "fr", ""].map(
      (wished) => findClosestLanguage(entries, wished).language,
    );
    expect(found).toEqual(["de", "pt-BR", "zh-Hant", "en", "en"]);
  });
});
