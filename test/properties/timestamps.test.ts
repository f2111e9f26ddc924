import fc from "fast-check";
import { describe, it } from "vitest";
import { timestamp } from "../../src/base/values/clock.js";
import { runs } from "./runs.js";

/** The last time of a JavaScript date in either direction, in milliseconds. */
const LAST = 8_640_000_000_000_000;

describe("a timestamp", () => {
  it("is formatted like Date, whatever was formatted before", () => {
    const moments = fc.oneof(
      fc.integer({ min: -LAST, max: LAST }),
      fc.date({ noInvalidDate: true }).map(Number),
    );
    const near = fc.tuple(moments, fc.integer({ min: -200_000_000, max: 200_000_000 }));
    fc.assert(
      fc.property(near, ([moment, later]) => {
        const second = Math.min(Math.max(moment + later, -LAST), LAST);
        return [moment, second].every((ms) => timestamp(ms) === new Date(ms).toISOString());
      }),
      runs(2_000),
    );
  });
});
