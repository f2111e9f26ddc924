import { expect, test } from "vitest";
import { buildMessagePlaceholderValues, chooseText } from "../../src/messages/message-texts.js";

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

const template = { name: "Coffee", maxStamps: 10 };
const card = {
  maxStamps: 8,
  currentStamps: 3,
  timesCompleted: 2,
  rewardsAvailable: 1,
  totalStampsCollected: 19,
  lastStampAt: null,
  visits: "[]",
  entries: 19,
};

test("placeholders use the customer's card, or an empty card if there is none", () => {
  const user = { name: "Anna" };
  expect(buildMessagePlaceholderValues(user, template, card, { available: 40 })).toEqual({
    name: "Anna",
    card: "Coffee",
    stamps: 3,
    toGo: 5,
    rewards: 1,
    points: 40,
  });
  expect(buildMessagePlaceholderValues(user, template, null, null)).toEqual({
    name: "Anna",
    card: "Coffee",
    stamps: 0,
    toGo: 10,
    rewards: 0,
    points: 0,
  });
});

test("text that isn't a name, such as a link, isn't inserted as the name", () => {
  expect(buildMessagePlaceholderValues({ name: "https://evil.example" }, null, null, null).name).toBe(null);
});
