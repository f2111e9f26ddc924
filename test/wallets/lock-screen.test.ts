import { describe, expect, it } from "vitest";
import {
  fieldsOf,
  generalText,
  listLockScreenTexts,
  localized,
  pairsIn,
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
  it("tells of the one field that changed and has words for that", () => {
    const after = createPass([
      createField("a", "2", "Now %@"),
      createField("b", "1", "%@"),
      createField("c", "2"),
    ]);
    expect(listLockScreenTexts(before, after, "en")).toEqual(["Now 2"]);
    expect(fieldsOf(after).get("a")).toEqual({ key: "a", value: "2", changeMessage: "Now %@" });
  });

  it("says no more than that the pass has changed when several have, or the words have no place for the value", () => {
    const fields = [createField("a", "2", "%@"), createField("b", "2", "%@")];
    expect(listLockScreenTexts(before, createPass(fields), "en")).toEqual(["Store card changed"]);
    expect(listLockScreenTexts(before, createPass([createField("a", "2", "New")]), "en")).toEqual([
      "Store card changed",
    ]);
    expect(generalText(createPass([], "generic"))).toBe("Pass changed");
  });

  it("tells nothing of a field that its pass did not have, nor of one without words", () => {
    const after = createPass([
      createField("d", "1", "%@"),
      createField("a", "1", "%@"),
      createField("c", "2"),
    ]);
    expect(listLockScreenTexts(before, after, "en")).toEqual([]);
  });

  it("speaks the language of the phone, and puts the value in as it is", () => {
    const files = new Map([["de.lproj/pass.strings", Buffer.from('"$& \\"x\\"" = "Zeile\\n$& \\\\ %@";\n')]]);
    const after = { ...createPass([createField("a", '$& "x"', "<%@>")]), files };
    expect(listLockScreenTexts(before, after, "de-AT")).toEqual(["<Zeile\n$& \\ %@>"]);
    expect(listLockScreenTexts(before, after, "en")).toEqual(['<$& "x">']);
    expect(localized("other", after, "de")).toBe("other");
  });

  it("reads strings whole or not at all", () => {
    for (const invalidText of ['"a" = "b"', '"a" = "b";\nrest', '"a" = "b" = "c";\n', '"a = "b";\n']) {
      expect(() => pairsIn(invalidText)).toThrow("the strings file can't be parsed");
    }
  });
});
