import type { TestRunner } from "loyalty-kit/testing";
import { it } from "vitest";
import { takePortion } from "../properties/runs.js";

/** A run with `LOYALTY_PROPERTY_SHARE` runs at least one in this many tests of the suite. */
const PARTS = 4;

/**
 * Runs the storage suite on one of several arrangements of the same storage. In a shorter run each takes some of the tests, and
 * the next one takes others.
 * @param turn the place of the arrangement among them.
 * @param isIncluded whether the tests of a concern are for this arrangement.
 */
export function createPartRunner(
  turn: number,
  isIncluded: (concern: string) => boolean = () => true,
): TestRunner {
  const taken = takePortion(PARTS);
  let count = turn;
  let concern = "";
  return {
    // Vitest fails a group without tests, so this declares no groups.
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
