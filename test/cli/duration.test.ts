import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDuration } from "../../adapters/apps/cli/terminal/values.js";

describe("a duration", () => {
  it("is a number and a unit", () => {
    expect(["45s", "30m", "1h", "90d"].map(parseDuration)).toEqual([
      45_000, 1_800_000, 3_600_000, 7_776_000_000,
    ]);
  });

  it("grows linearly with its number", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 999_998 }),
        fc.constantFrom("s", "m", "h", "d"),
        (count, unit) => {
          const [one, other] = [parseDuration(`${count}${unit}`), parseDuration(`${count + 1}${unit}`)];
          expect(Number(other) - Number(one)).toBe(parseDuration(`1${unit}`));
        },
      ),
    );
  });

  it.each(["", "0d", "90", "d", "-1d", "1.5h", "1w", "1 d", "01d", "1000000d", "1d ", "1d1h", "1e3s"])(
    "can't be %j",
    (text) => expect(parseDuration(text)).toBeNull(),
  );
});
