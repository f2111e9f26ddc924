import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { toSlug } from "../../src/base/values/slug.js";
import { normalizeNfc } from "../../src/base/values/text.js";
import { PersonTexts } from "../../src/customers/person-texts.js";

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

test("texts are composed like NFC, as long as no letter has more than 100 marks", () => {
  const short = fc.array(fc.constantFrom(...parts), { maxLength: 90 }).map((some) => some.join(""));
  fc.assert(
    fc.property(fc.array(short, { maxLength: 6 }), (some) => {
      const text = some.join("x");
      expect(normalizeNfc(text)).toBe(text.normalize("NFC"));
    }),
  );
});

/** Counts how often a text is normalized while it is composed. */
function countCompositions(text: string): number {
  const normalize = vi.spyOn(String.prototype, "normalize");
  onTestFinished(() => normalize.mockRestore());
  normalizeNfc(text);
  const { length } = normalize.mock.calls;
  normalize.mockRestore();
  return length;
}

test("a text with many marked letters is composed in one part, and in several if a letter has over 100 marks", () => {
  expect(countCompositions("e\u0301".repeat(100_000))).toBe(1);
  expect(countCompositions(`e${"\u0301".repeat(100)}`.repeat(1_000))).toBe(1);
  expect(countCompositions("e\u0301\u0316".repeat(10) + "\u0301".repeat(100_000))).toBeLessThan(1_100);
});

test("neither the slug of a long name nor the texts of a person normalize a long run of marks", () => {
  const normalize = vi.spyOn(String.prototype, "normalize");
  onTestFinished(() => normalize.mockRestore());
  const name = `e${"\u0315\u0300".repeat(5_000)}`;
  expect(toSlug(name)).toBe("e");
  expect(new PersonTexts({ name }).has(name)).toBe(true);
  for (const text of normalize.mock.contexts) expect(String(text).length).toBeLessThan(200);
});
