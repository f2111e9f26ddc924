import { domainToASCII, domainToUnicode } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldEmail } from "../../src/base/values/email.js";
import { fold } from "../../src/base/values/text.js";

/** All characters of Unicode that are in NFC on their own. */
const characters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character) => /[^\p{Cn}\p{Co}\p{Cs}]/u.test(character) && character === character.normalize("NFC"),
);

/** The letters that some case mapping changes. */
const cased = characters.filter(isCased);

/** The letters of Turkish, and two ligatures that are one letter since Unicode 15.1. */
const special = ["i", "I", "ı", "İ", "ﬅ", "ﬆ"];

function isCased(letter: string): boolean {
  return /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u.test(letter);
}

describe("fold", () => {
  it("preserves everything that has no case", () => {
    const others = characters.filter((character) => !isCased(character)).join(" ");
    expect(fold(others) === others).toBe(true);
  });

  it("is equal for letters that patterns without case treat as equal: both use simple case folding", () => {
    const text = cased.filter((letter) => !special.includes(letter)).join("");
    const byFold = new Map<string, string>();
    for (const letter of text) byFold.set(fold(letter), (byFold.get(fold(letter)) ?? "") + letter);
    for (const [folded, group] of byFold) {
      const pattern = new RegExp(folded, "giu");
      expect(text.match(pattern)?.join("")).toBe(group);
    }
  });

  it.each([
    ["İIıi", "iiii"],
    ["ΣσςϹ", "σσσϲ"],
    ["ẞß", "ßß"],
    ["ﬅﬆ", "ﬆﬆ"],
    ["ᎠꭰᏰᏸ", "ᎠᎠᏰᏰ"],
    ["I\u0307", "i"],
    ["\u212A\u017F\u00B5", "ksμ"],
    ["ΑΎΡΙΟΣ", "αύριοσ"],
    ["Straße", "straße"],
  ])("of %j is %j", (text, expected) => {
    expect(fold(text)).toBe(expected);
  });

  const texts = fc
    .array(
      fc.oneof(
        fc.constantFrom(...cased),
        fc.constantFrom(...special, "\u0307", "\u0301", "\u0345", "a", "Σ"),
      ),
    )
    .map((some) => some.join(""));

  it("works letter by letter, is composed, and is its own fold", () => {
    fc.assert(
      fc.property(texts, texts, (text, other) => {
        const folded = fold(text);
        expect(folded).toBe(folded.normalize("NFC"));
        expect(fold(folded)).toBe(folded);
        expect(fold(`${text}-${other}`)).toBe(`${folded}-${fold(other)}`);
        expect(fold(text.normalize("NFD"))).toBe(folded);
      }),
    );
  });
});

describe("foldEmail", () => {
  const labels = fc
    .array(fc.constantFrom(..."aBzÄäßẞéσςΣİıжЖ東ｅ９-\u0301"), { minLength: 1, maxLength: 6 })
    .map((some) => `x${some.join("")}y`);
  const domains = fc
    .tuple(labels, labels)
    .map((some) => some.join("."))
    .filter((domain) => domainToASCII(domain) !== "");
  const locals = fc.string({ unit: fc.constantFrom(..."aAzZ9.+_-"), minLength: 1 });

  it("is equal for all spellings of a domain", () => {
    fc.assert(
      fc.property(locals, domains, (local, domain) => {
        const ascii = domainToASCII(domain);
        const expected = `${local.toLowerCase()}@${ascii}`;
        for (const spelling of [
          domain,
          domain.normalize("NFD"),
          ascii,
          ascii.toUpperCase(),
          domainToUnicode(ascii),
        ])
          expect(foldEmail(`${local}@${spelling}`)).toBe(expected);
        expect(foldEmail(expected)).toBe(expected);
      }),
    );
  });

  it("is the plain fold if the text is no address, or has no possible domain", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        fc.pre(!text.includes("@"));
        expect(foldEmail(text)).toBe(fold(text));
      }),
    );
    expect(foldEmail("Ä@xn--ü")).toBe("ä@xn--ü");
    expect(foldEmail("A@Ü É")).toBe("a@xn--tda é");
  });
});
