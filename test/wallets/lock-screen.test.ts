import { describe, expect, it } from "vitest";
import {
  fieldsOf,
  generalText,
  listLockScreenTexts,
  localized,
  parseStrings,
} from "../../adapters/testing/wallets/lock-screen.js";

const createField = (key: string, value: string, changeMessage?: string) => ({
  key,
  value,
  ...(changeMessage !== undefined && { changeMessage }),
});
const createPass = (fields: readonly object[], style = "storeCard") => ({
  pass: { [style]: { backFields: fields } },
  files: new Map<string, Buffer>(),
});
const before = createPass([createField("a", "1", "%@"), createField("b", "1", "%@"), createField("c", "1")]);

describe("the lock screen of the fake iPhone", () => {
  it("shows the text of the one field that changed and has a change message", () => {
    const after = createPass([
      createField("a", "2", "Now %@"),
      createField("b", "1", "%@"),
      createField("c", "2"),
    ]);
    expect(listLockScreenTexts(before, after, "en")).toEqual(["Now 2"]);
    expect(fieldsOf(after).get("a")).toEqual({ key: "a", value: "2", changeMessage: "Now %@" });
  });

  it("says only that the pass changed if several fields did, or if the change message has no place for the value", () => {
    const fields = [createField("a", "2", "%@"), createField("b", "2", "%@")];
    expect(listLockScreenTexts(before, createPass(fields), "en")).toEqual(["Store card changed"]);
    expect(listLockScreenTexts(before, createPass([createField("a", "2", "New")]), "en")).toEqual([
      "Store card changed",
    ]);
    expect(generalText(createPass([], "generic"))).toBe("Pass changed");
  });

  it("shows nothing for a field that is new to the pass, or for one without a change message", () => {
    const after = createPass([
      createField("d", "1", "%@"),
      createField("a", "1", "%@"),
      createField("c", "2"),
    ]);
    expect(listLockScreenTexts(before, after, "en")).toEqual([]);
  });

  it("uses the language of the phone, and inserts the value unchanged", () => {
    const files = new Map([["de.lproj/pass.strings", Buffer.from('"$& \\"x\\"" = "Zeile\\n$& \\\\ %@";\n')]]);
    const after = { ...createPass([createField("a", '$& "x"', "<%@>")]), files };
    expect(listLockScreenTexts(before, after, "de-AT")).toEqual(["<Zeile\n$& \\ %@>"]);
    expect(listLockScreenTexts(before, after, "en")).toEqual(['<$& "x">']);
    expect(localized("other", after, "de")).toBe("other");
  });

  it("reads a strings file completely or not at all", () => {
    for (const invalidText of ['"a" = "b"', '"a" = "b";\nrest', '"a" = "b" = "c";\n', '"a = "b";\n']) {
      expect(() => parseStrings(invalidText)).toThrow("the strings file can't be parsed");
    }
  });
});
