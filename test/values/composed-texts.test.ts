import fc from "fast-check";
import { expect, test } from "vitest";
import { composed } from "../../src/values/text.js";

const parts = [
  "a",
  "e",
  "\u0301",
  "\u0316",
  "\u0313",
  "\u0345",
  "\u03b1",
  "\u1100",
  "\u1161",
  "\u11a8",
  "😀",
  "\u0bc6",
  "\u0bbe",
];

test("texts are composed as NFC says, as long as no letter has more than 100 marks", () => {
  const short = fc.array(fc.constantFrom(...parts), { maxLength: 90 }).map((some) => some.join(""));
  fc.assert(
    fc.property(fc.array(short, { maxLength: 6 }), (some) => {
      const text = some.join("x");
      expect(composed(text)).toBe(text.normalize("NFC"));
    }),
  );
});
