import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  computeDayBounds,
  findCursorBefore,
  parseLogFilter,
} from "../../adapters/apps/console/browser/components/log-filter.js";

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString();

describe("the event log", () => {
  it("takes event types and a day from a URL, and ignores invalid values", () => {
    const query = new URLSearchParams("type=stamp_card.completed,reward.granted&day=2026-11-23");
    expect(parseLogFilter(query)).toEqual({
      types: ["stamp_card.completed", "reward.granted"],
      day: "2026-11-23",
    });
    expect(parseLogFilter(new URLSearchParams("type=none,&day=tomorrow"))).toEqual({ types: [], day: "" });
  });

  it("has days that begin and end in the shop's time zone, also when the clocks change", () => {
    const dayRange = (start: string, end: string) => ({ from: `${start}:00.000Z`, to: `${end}:00.000Z` });
    expect(computeDayBounds("2026-11-23", "UTC")).toEqual(dayRange("2026-11-23T00:00", "2026-11-24T00:00"));
    expect(computeDayBounds("2026-03-29", "Europe/Vienna")).toEqual(
      dayRange("2026-03-28T23:00", "2026-03-29T22:00"),
    );
    expect(computeDayBounds("2026-13-77", "UTC")).toBeNull();
  });

  it("finds the events before a time in at most six requests, regardless of its length", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 200_000 }),
        fc.integer({ min: 0, max: 200_000 }),
        async (count, wantedPosition) => {
          let requestCount = 0;
          // Event n happens at minute n.
          const next = await findCursorBefore(at(wantedPosition), async ({ newest, after = "0" }) => {
            requestCount += 1;
            const position = newest ? count : Number(after) + 1;
            const content = position === 0 || position > count ? [] : [{ timestamp: at(position) }];
            return { content, next: String(position) };
          });
          expect(Number(next)).toBeLessThanOrEqual(Math.max(0, wantedPosition - 1));
          // Reads at most 1,000 events, or four times as many as needed.
          expect(count - Number(next)).toBeLessThanOrEqual(Math.max(1_000, 4 * (count - wantedPosition + 2)));
          expect(requestCount).toBeLessThanOrEqual(6);
        },
      ),
      { numRuns: 50 },
    ));
});
