import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ScannedKeys } from "../../adapters/apps/console/browser/till/scanned-keys.js";

/** Scans keys that are pressed with the same time between them. @returns what is recognized at each key. */
function scanKeys(keys: readonly string[], every: number, isInField: boolean): (string | null)[] {
  const scanner = new ScannedKeys();
  return keys.map((key, at) => scanner.processKey(key, at * every, isInField));
}

const text = fc.string({ minLength: 4, maxLength: 60, unit: fc.constantFrom(..."aZ09:/.?-") });

describe("a scanner that types as a keyboard does", () => {
  it("is heard in a field when it is quicker than people, and elsewhere also when it is slow", () => {
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

  it("types capitals with Shift, and is heard again at once after its Enter", () => {
    expect(
      scanKeys([..."ab", "Shift", ..."CD", "Enter", ..."efgh", "Enter"], 5, true).filter(Boolean),
    ).toEqual(["abCD", "efgh"]);
  });

  it("is not what somebody types or presses", () => {
    expect(scanKeys([..."ada lovelace", "Enter"], 80, true).filter(Boolean)).toEqual([]);
    expect(scanKeys(["Tab", "Tab", "Enter", " ", "Enter"], 100, false).filter(Boolean)).toEqual([]);
    expect(scanKeys([..."abcd", "Enter"], 1_001, false).filter(Boolean)).toEqual([]);
  });
});
