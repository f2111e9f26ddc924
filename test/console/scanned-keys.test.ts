import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ScannedKeys } from "../../adapters/apps/console/browser/till/scanned-keys.js";

/** Presses keys at equal intervals. @returns the result at each key. */
function scanKeys(keys: readonly string[], every: number, isInField: boolean): (string | null)[] {
  const scanner = new ScannedKeys();
  return keys.map((key, at) => scanner.processKey(key, at * every, isInField));
}

const text = fc.string({ minLength: 4, maxLength: 60, unit: fc.constantFrom(..."aZ09:/.?-") });

describe("a scanner that types like a keyboard", () => {
  it("is recognized in a field if it types faster than people, and elsewhere even if it is slow", () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 1_000 }),
        (code, quick, slow) => {
          for (const end of ["Enter", "Tab"]) {
            expect(scanKeys([...code, end], quick, true).at(-1)).toBe(code);
            expect(scanKeys([...code, end], slow, false).at(-1)).toBe(code);
          }
        },
      ),
    );
  });

  it("types capitals with Shift, and is recognized again right after its Enter", () => {
    expect(
      scanKeys([..."ab", "Shift", ..."CD", "Enter", ..."efgh", "Enter"], 5, true).filter(Boolean),
    ).toEqual(["abCD", "efgh"]);
  });

  it("is not recognized in what a person types or presses", () => {
    expect(scanKeys([..."ada lovelace", "Enter"], 80, true).filter(Boolean)).toEqual([]);
    expect(scanKeys(["Tab", "Tab", "Enter", " ", "Enter"], 100, false).filter(Boolean)).toEqual([]);
    expect(scanKeys([..."abcd", "Enter"], 1_001, false).filter(Boolean)).toEqual([]);
  });
});
