import fc from "fast-check";
import { expect, test } from "vitest";
import {
  fillPlaceholders,
  findPlaceholderNames,
  isPlaceholder,
  placeholders,
} from "../../src/base/values/placeholders.js";

const nobody = { name: null, card: "Coffee", stamps: 3, toGo: 7, rewards: 0, points: 1_250 };
const anna = { ...nobody, name: "Anna" };

test("placeholders are replaced by the customer's name, card and numbers", () => {
  expect(
    fillPlaceholders("{name}, {toGo} more on {card}: {stamps} so far, {rewards} to redeem", anna, "en"),
  ).toBe("Anna, 7 more on Coffee: 3 so far, 0 to redeem");
});

test("numbers are formatted in the language of the text", () => {
  const written = ["en", "de", "de-AT", "fr", "pl"].map((language) =>
    fillPlaceholders("{points}", { ...nobody, points: 12_500 }, language),
  );
  expect(written).toEqual(["12,500", "12.500", "12\u00a0500", "12\u202f500", "12\u00a0500"]);
  expect(fillPlaceholders("{points}", { ...nobody, points: 0 }, "de")).toBe("0");
});

test("the spaces around a missing name become one, and none at the ends of a line", () => {
  expect(fillPlaceholders("Dear {name} of ours", nobody, "en")).toBe("Dear of ours");
  expect(fillPlaceholders("Dear  {name}  {name} of ours", nobody, "en")).toBe("Dear of ours");
  expect(fillPlaceholders("{name} welcome\n{name}\nHello {name}", nobody, "en")).toBe("welcome\n\nHello");
  expect(fillPlaceholders("Hello{name}!", nobody, "en")).toBe("Hello!");
});

test("a punctuation mark after a missing name follows without a space, unless it was written with one", () => {
  expect(fillPlaceholders("Hello {name}, welcome!", nobody, "en")).toBe("Hello, welcome!");
  expect(fillPlaceholders("Hello {name} {name}!", nobody, "en")).toBe("Hello!");
  expect(fillPlaceholders("Bonjour {name} !", nobody, "en")).toBe("Bonjour !");
  expect(fillPlaceholders("Hello {name}, welcome!", anna, "en")).toBe("Hello Anna, welcome!");
});

test("spaces elsewhere stay as written", () => {
  expect(fillPlaceholders("  a   b  {name}", anna, "en")).toBe("  a   b  Anna");
});

test("a long run of spaces is read once: reading it from each of its spaces would take minutes", () => {
  const spaces = " ".repeat(500_000);
  expect(fillPlaceholders(`a${spaces}b {name} c`, nobody, "en")).toBe(`a${spaces}b c`);
});

test("only letters in braces are a placeholder; other braces are ordinary text", () => {
  expect(findPlaceholderNames("{name} { name } {} {{toGo}} {a b} {x1} {Foo}")).toEqual([
    "name",
    "toGo",
    "Foo",
  ]);
  expect(fillPlaceholders("{ name } {} {x1} {{name}}", anna, "en")).toBe("{ name } {} {x1} {Anna}");
});

test("a value with line breaks is put on one line", () => {
  expect(fillPlaceholders("Hello {name}!", { ...nobody, name: "An\r\nBcc: x\u2028na" }, "en")).toBe(
    "Hello An Bcc: x na!",
  );
});

const braces = fc.constantFrom(...placeholders.map((name) => `{${name}}`), "{", "}", " ", "\n", "a", "{}");
const text = fc.array(fc.oneof(braces, fc.string({ maxLength: 3 }))).map((parts) => parts.join(""));
const values = fc.record({
  name: fc.option(fc.oneof(braces, fc.string({ maxLength: 20 }))),
  card: fc.option(fc.string({ maxLength: 20 })),
  stamps: fc.nat(),
  toGo: fc.nat(),
  rewards: fc.nat(),
  points: fc.nat(),
});

test("a text without placeholders stays unchanged, whatever the values are", () => {
  fc.assert(
    fc.property(text, values, (template, by) => {
      fc.pre(!template.includes("\0") && !findPlaceholderNames(template).some(isPlaceholder));
      expect(fillPlaceholders(template, by, "en")).toBe(template);
    }),
  );
});

test("placeholders in a value are never filled in", () => {
  fc.assert(
    fc.property(fc.constantFrom(...placeholders), (name) => {
      expect(fillPlaceholders("<{name}>", { ...nobody, name: `{${name}}` }, "en")).toBe(`<{${name}}>`);
    }),
  );
});

test("a filled text has as many lines as before, whatever the values are", () => {
  const countLines = (of: string) => of.split(/[\n\r\u2028\u2029]/).length;
  fc.assert(
    fc.property(text, values, (template, by) => {
      fc.pre(!template.includes("\0"));
      expect(countLines(fillPlaceholders(template, by, "en"))).toBe(countLines(template));
    }),
  );
});
