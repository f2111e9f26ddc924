import { expect, test } from "vitest";
import { chooseText } from "../../src/messages/text-schema.js";

const texts = ["en", "pt-BR", "de", "zh-Hant"].map((language) => ({ language }));

test.each([
  ["de", "de"],
  ["de-AT", "de"],
  ["de-Latn-AT-1996", "de"],
  ["pt-BR", "pt-BR"],
  ["pt", "en"],
  ["zh-Hant-TW", "zh-Hant"],
  ["de-a-value-b", "de"],
  ["fr", "en"],
  [null, "en"],
])("a customer with the language %s reads the text in %s", (language, expectedLanguage) => {
  expect(chooseText(texts, language).language).toBe(expectedLanguage);
});
