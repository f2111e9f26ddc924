import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecentVisits } from "../../src/base/values/recent-visits.js";

const times = fc.array(fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true })), {
  maxLength: 10,
});

describe("recent visits", () => {
  it("are those in the card's list, in any order of requests", () => {
    fc.assert(
      fc.property(times, fc.array(fc.integer({ min: 1, max: 12 })), (list, counts) => {
        const text = JSON.stringify(list);
        const visits = new RecentVisits(text);
        const parsedList: unknown[] = JSON.parse(text);
        for (const nth of counts) expect(visits.nth(nth)).toBe(parsedList[nth - 1] ?? null);
      }),
    );
  });
});
