import { describe, expect, it } from "vitest";
import { listWordFiles, loadWords } from "./console-words.js";

/** Sample values for functions that build texts. */
const sampleValues: readonly unknown[] = [
  1,
  2,
  12_345,
  "2026-01-05T10:00:00.000Z",
  "2027-03-06T11:30:00.000Z",
  true,
  false,
  null,
];

/** Returns the positions of the values that a function puts into its text, because they change it. */
function findInserts(words: (...values: unknown[]) => unknown): number[] {
  const applyWords = (values: readonly unknown[]) => {
    try {
      return JSON.stringify(words(...values));
    } catch {
      return "";
    }
  };
  const every = Array.from({ length: words.length }).reduce<unknown[][]>(
    (rows) => rows.flatMap((row) => sampleValues.map((value) => [...row, value])),
    [[]],
  );
  const inserts = new Set<number>();
  for (const values of every) {
    for (let at = 0; at < words.length; at += 1) {
      if (inserts.has(at)) continue;
      const otherTexts = sampleValues.map((value) => applyWords(values.with(at, value)));
      if (otherTexts.some((other) => other !== applyWords(values))) inserts.add(at);
    }
    if (inserts.size === words.length) break;
  }
  return [...inserts].sort();
}

/** Lists each text of a file with its path and its placeholders. */
function listInserts(words: unknown, path: string): [place: string, inserts: string][] {
  if (typeof words === "string") return [[path, [...new Set(words.match(/\{\w+\}/g))].sort().join(" ")]];
  if (typeof words === "function")
    return [[path, findInserts((...values) => Reflect.apply(words, undefined, values)).join(" ")]];
  if (typeof words !== "object" || words === null) return [[path, String(words)]];
  return Object.entries(words).flatMap(([name, inner]) => listInserts(inner, `${path}.${name}`));
}

const isChoice = (value: unknown) =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string");

/** Lists the values that the choices of a file send, by path. A choice is a pair of value and label. */
function listChoices(words: unknown, path: string): [place: string, sent: string][] {
  if (typeof words !== "object" || words === null) return [];
  const isList = Array.isArray(words) && words.every(isChoice);
  if (isList) return [[path, words.map(([sent]) => sent).join(" ")]];
  return Object.entries(words).flatMap(([name, inner]) => listChoices(inner, `${path}.${name}`));
}

describe("the words of the console", () => {
  it("are in the same files in each language", () => {
    expect(listWordFiles("en").length).toBeGreaterThan(10);
    expect(listWordFiles("de")).toEqual(listWordFiles("en"));
  });

  it.each(listWordFiles("en").filter((file) => file !== "forms.ts"))(
    "say the same things in each language, with the same placeholders, in %s",
    async (file) => {
      const [english, german] = await Promise.all([loadWords("en", file), loadWords("de", file)]);
      const inserts = listInserts(english, file).sort();
      expect(inserts.length).toBeGreaterThan(0);
      expect(listInserts(german, file).sort()).toEqual(inserts);
    },
  );

  it("send the same values for choices in each language", async () => {
    const listSentChoices = async (language: "en" | "de") => {
      const files = await Promise.all(
        listWordFiles(language).map(async (file) => listChoices(await loadWords(language, file), file)),
      );
      return files.flat().sort();
    };
    const english = await listSentChoices("en");
    expect(english.length).toBeGreaterThan(10);
    expect(await listSentChoices("de")).toEqual(english);
  });
});
