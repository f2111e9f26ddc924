import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FixedWindows } from "../../../adapters/http/rate-limits/fixed-windows.js";
import { ManualClock } from "../../kit/manual-clock.js";
import { runs } from "../../properties/runs.js";

function createWindows(capacity: number) {
  const clock = new ManualClock();
  return { clock, windows: new FixedWindows(clock.read, capacity) };
}

/** Requests with a few keys. @param earliest minimum step of the clock between two of them, in milliseconds. */
const arbitraryRequests = (earliest: number) =>
  fc.array(
    fc.record({
      key: fc.integer({ min: 0, max: 9 }).map((at) => `key${at}`),
      seconds: fc.constantFrom(1, 2, 60),
      pass: fc.oneof(fc.constant(0), fc.integer({ min: earliest, max: 3_000 })),
    }),
    { maxLength: 100 },
  );

describe("fixed windows", () => {
  test("count as the simplest model does if there is capacity for every key", () => {
    fc.assert(
      fc.property(arbitraryRequests(0), (steps) => {
        const { clock, windows } = createWindows(10);
        const model = new Map<string, { end: number; requests: number }>();
        for (const { key, seconds, pass } of steps) {
          clock.move(pass);
          const { now } = clock;
          const old = model.get(key);
          const window =
            old !== undefined && now < old.end ? old : { end: now + seconds * 1_000, requests: 0 };
          window.requests += 1;
          model.set(key, window);
          expect(windows.count(key, seconds)).toEqual({
            requests: window.requests,
            msLeft: window.end - now,
          });
        }
      }),
      runs(200),
    );
  });

  test("never exceed their capacity, and never count too much", () => {
    fc.assert(
      fc.property(arbitraryRequests(-3_000), fc.integer({ min: 1, max: 9 }), (steps, capacity) => {
        const { clock, windows } = createWindows(capacity);
        const counts = new Map<string, number>();
        for (const { key, seconds, pass } of steps) {
          clock.move(pass);
          counts.set(key, (counts.get(key) ?? 0) + 1);
          const { requests, msLeft } = windows.count(key, seconds);
          expect(requests).toBeLessThanOrEqual(counts.get(key) ?? 0);
          expect(msLeft).toBeGreaterThan(0);
          expect(windows.size).toBeLessThanOrEqual(capacity);
        }
      }),
      runs(200),
    );
  });

  test("survive a clock that is set back a little", () => {
    const { clock, windows } = createWindows(10);
    windows.count("a", 60);
    clock.move(-1);
    expect(windows.count("a", 60)).toEqual({ requests: 2, msLeft: 60_001 });
  });

  test("start again if the clock goes a day forward and back", () => {
    const { clock, windows } = createWindows(10);
    clock.move(86_400_000);
    windows.count("a", 60);
    clock.move(-86_400_000);
    expect(windows.count("a", 60)).toEqual({ requests: 1, msLeft: 60_000 });
  });

  test("drop the oldest one if all are open and have the same count", () => {
    const { clock, windows } = createWindows(2);
    for (const key of ["a", "b", "c"]) {
      windows.count(key, 60);
      clock.move(1);
    }
    expect(windows.count("b", 60).requests).toBe(2);
    expect(windows.count("a", 60).requests).toBe(1);
  });

  test("drop no open one while a newer one has expired", () => {
    const { clock, windows } = createWindows(2);
    windows.count("long", 3_600);
    windows.count("short", 1);
    clock.move(1_000);
    windows.count("new", 1);
    expect(windows.count("long", 3_600).requests).toBe(2);
  });
});
