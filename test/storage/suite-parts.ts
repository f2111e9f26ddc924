import type { TestRunner } from "loyalty-kit/testing";
import { it } from "vitest";
import { takePortion } from "../properties/runs.js";

/** Tests are split into this many parts. A run with `LOYALTY_PROPERTY_SHARE` runs at least one part. */
const PARTS = 4;

/**
 * Runs the storage suite on one of several variants of the same storage. In a shorter run each variant runs
 * some of the tests, and the next variant runs others.
 * @param turn the index of the variant.
 * @param isIncluded whether the tests of a concern run for this variant.
 */
export function createPartRunner(
  turn: number,
  isIncluded: (concern: string) => boolean = () => true,
): TestRunner {
  const taken = takePortion(PARTS);
  let count = turn;
  let concern = "";
  return {
    // Vitest fails on groups without tests, so this declares no groups.
    describe(name, define) {
      if (!isIncluded(name)) return;
      concern = name;
      define();
    },
    it(name, test) {
      count += 1;
      if (count % PARTS < taken) it(`${concern}: ${name}`, test);
    },
  };
}
