import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeQuietEnd } from "../../../src/messages/message-times.js";

const MINUTE = 60_000;
const zones = ["UTC", "Europe/Vienna", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"];

const clocks = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  ]),
);

/** Returns the time that a wall clock in this zone shows. */
const formatTime = (timeZone: string, at: number) => clocks.get(timeZone)?.format(at) ?? "";

const isQuiet = (from: string, to: string, time: string) =>
  from < to ? from <= time && time < to : from <= time || time < to;

/** Goes forward minute by minute until a wall clock shows a time that is not quiet. */
function findQuietEnd(from: string, to: string, timeZone: string, at: number): number {
  if (!isQuiet(from, to, formatTime(timeZone, at))) return at;
  let time = Math.floor(at / MINUTE) * MINUTE;
  while (isQuiet(from, to, formatTime(timeZone, time))) time += MINUTE;
  return time;
}

const timeOfDay = fc
  .tuple(fc.nat(23), fc.nat(59))
  .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));

/** Instants of 2026, many of them near the days when clocks change. */
const instant = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) }),
  fc
    .tuple(
      fc.constantFrom("2026-03-29", "2026-10-25", "2026-03-08", "2026-11-01", "2026-04-05", "2026-10-04"),
      fc.integer({ min: -24 * 60, max: 30 * 60 }),
    )
    .map(([day, minutes]) => Date.parse(`${day}T00:00:00Z`) + minutes * MINUTE),
);

describe("quiet hours", () => {
  it("end when wall clocks show a time that is not quiet, in every zone and night", () => {
    fc.assert(
      fc.property(timeOfDay, timeOfDay, fc.constantFrom(...zones), instant, (from, to, zone, at) => {
        fc.pre(from !== to);
        expect(computeQuietEnd({ from, to }, zone, at)).toBe(findQuietEnd(from, to, zone, at));
      }),
      { numRuns: 150 },
    );
  });

  const findEndInVienna = (from: string, to: string, at: string) =>
    new Date(computeQuietEnd({ from, to }, "Europe/Vienna", Date.parse(at))).toISOString();

  it("span midnight if they begin later than they end", () => {
    expect(findEndInVienna("21:00", "08:00", "2026-01-10T20:00:00Z")).toBe("2026-01-11T07:00:00.000Z");
    expect(findEndInVienna("21:00", "08:00", "2026-01-11T06:59:59Z")).toBe("2026-01-11T07:00:00.000Z");
    expect(findEndInVienna("21:00", "08:00", "2026-01-11T07:00:00Z")).toBe("2026-01-11T07:00:00.000Z");
  });

  it("are an hour shorter or longer in the nights when clocks change", () => {
    expect(findEndInVienna("21:00", "08:00", "2026-03-28T20:00:00Z")).toBe("2026-03-29T06:00:00.000Z");
    expect(findEndInVienna("21:00", "08:00", "2026-10-24T19:00:00Z")).toBe("2026-10-25T07:00:00.000Z");
  });

  it("that would end in an hour that clocks skip end when it has been skipped", () => {
    expect(findEndInVienna("21:00", "02:30", "2026-03-28T20:00:00Z")).toBe("2026-03-29T01:00:00.000Z");
  });

  it("don't apply to an organization that has set none", () => {
    expect(computeQuietEnd(null, "UTC", 5)).toBe(5);
  });
});
