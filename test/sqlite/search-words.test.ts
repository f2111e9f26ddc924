import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildTokens } from "../../adapters/storage/sqlite/word-index.js";
import { runs } from "../properties/runs.js";

/** Characters that have short words in the index, others, and some that could join or split words. */
const letters = [
  "a",
  "b",
  "z",
  "0",
  "1",
  "A",
  "@",
  ".",
  "-",
  " ",
  "!",
  '"',
  "*",
  "^",
  "é",
  "ß",
  "😀",
  "\u0000",
];
const texts = fc
  .array(fc.constantFrom(...letters), { maxLength: 12 })
  .map((characters) => characters.join(""));
const numbers = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2 ** 31 - 1 }));

/** Whether the phrase's words occur in sequence, as for a phrase query of the index. */
const isPhraseOf = (phrase: string, words: string) => ` ${words}`.includes(` ${phrase}`);

describe("the words of the search index", () => {
  it("contain those of a term in sequence exactly if the text contains the term", () => {
    fc.assert(
      fc.property(numbers, texts, texts, fc.nat(), fc.nat(), (number, text, other, from, length) => {
        const part = text.slice(from % (text.length + 1)).slice(0, length % 9);
        for (const term of [part, other]) {
          if (term.length < 3) expect(buildTokens(number, term)).toBe("");
          else
            expect(isPhraseOf(buildTokens(number, term), buildTokens(number, text))).toBe(
              text.includes(term),
            );
        }
      }),
      runs(500),
    );
  });

  it("differ between organizations", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(numbers, { minLength: 2, maxLength: 2 }),
        texts,
        texts,
        ([a, b], one, two) => {
          const words = new Set(
            buildTokens(a ?? 0, one)
              .split(" ")
              .slice(0, -1),
          );
          expect(
            buildTokens(b ?? 0, two)
              .split(" ")
              .filter((word) => words.has(word)),
          ).toEqual([]);
        },
      ),
      runs(300),
    );
  });

  it("consist of lowercase letters and digits, which the tokenizer doesn't change", () => {
    fc.assert(
      fc.property(numbers, fc.string({ unit: "binary" }), (number, text) => {
        expect(buildTokens(number, text)).toMatch(/^([a-z0-9]+ )*$/);
      }),
      runs(200),
    );
  });
});
