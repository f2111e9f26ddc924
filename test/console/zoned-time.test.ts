import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isBetween,
  parseWallTime,
  toWallTime,
} from "../../adapters/apps/console/browser/components/zoned-time.js";

const zones = ["UTC", "Europe/Vienna", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"];

describe("a time as the clocks of a time zone show it", () => {
  it("converts back to the same moment, except in an hour that occurs twice", () => {
    const minutes = fc.integer({ min: 0, max: 60 * 24 * 365 * 60 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), minutes, (zone, minute) => {
        const wall = toWallTime(zone, new Date(minute * 60_000));
        const found = parseWallTime(zone, wall);
        expect(found).not.toBeNull();
        expect(toWallTime(zone, found ?? new Date(0))).toBe(wall);
        expect(Math.abs((found?.getTime() ?? 0) - minute * 60_000)).toBeLessThanOrEqual(3_600_000);
      }),
    );
  });

  it("that the clocks skip is read as a later one, and text that isn't a time as none", () => {
    expect(parseWallTime("Europe/Vienna", "2027-03-28T02:30")?.toISOString()).toBe(
      "2027-03-28T01:30:00.000Z",
    );
    expect(parseWallTime("Europe/Vienna", "2026-11-23T09:00")?.toISOString()).toBe(
      "2026-11-23T08:00:00.000Z",
    );
    expect(parseWallTime("Europe/Vienna", "tomorrow")).toBeNull();
  });

  it("is compared with hours that span midnight, too", () => {
    const night = { from: "21:00", to: "08:00" };
    const day = { from: "08:00", to: "21:00" };
    for (const time of ["21:00", "23:59", "00:00", "07:59"]) {
      expect([isBetween(time, night), isBetween(time, day)]).toEqual([true, false]);
    }
    for (const time of ["08:00", "12:00", "20:59"]) {
      expect([isBetween(time, night), isBetween(time, day)]).toEqual([false, true]);
    }
  });
});
