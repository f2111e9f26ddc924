import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildEventLogPath,
  computeDayBounds,
  findCursorBefore,
  parseLogFilter,
} from "../../adapters/apps/console/browser/components/log-filter.js";

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString();

describe("the event log", () => {
  it("is addressed by kinds and a day, and reads nothing else from an address", () => {
    const address = buildEventLogPath(["stamp_card.completed", "reward.granted"], "2026-11-23");
    const query = new URL(address, "https://shop.example").searchParams;
    expect(parseLogFilter(query)).toEqual({
      types: ["stamp_card.completed", "reward.granted"],
      day: "2026-11-23",
    });
    expect(parseLogFilter(new URLSearchParams("type=none,&day=tomorrow"))).toEqual({ types: [], day: "" });
  });

  it("has a day begin and end by the clocks of the shop, also when they are changed", () => {
    const day = (from: string, to: string) => ({ from: `${from}:00.000Z`, to: `${to}:00.000Z` });
    expect(computeDayBounds("2026-11-23", "UTC")).toEqual(day("2026-11-23T00:00", "2026-11-24T00:00"));
    expect(computeDayBounds("2026-03-29", "Europe/Vienna")).toEqual(
      day("2026-03-28T23:00", "2026-03-29T22:00"),
    );
    expect(computeDayBounds("2026-13-77", "UTC")).toBeNull();
  });

  it("is read from before a time on, by few requests however long it is", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 200_000 }),
        fc.integer({ min: 0, max: 200_000 }),
        async (count, wanted) => {
          let asked = 0;
          // Event n comes at minute n.
          const next = await findCursorBefore(at(wanted), async ({ newest, after = "0" }) => {
            asked += 1;
            const position = newest ? count : Number(after) + 1;
            const content = position === 0 || position > count ? [] : [{ timestamp: at(position) }];
            return { content, next: String(position) };
          });
          expect(Number(next)).toBeLessThanOrEqual(Math.max(0, wanted - 1));
          // At most four times as much is read as need be.
          expect(count - Number(next)).toBeLessThanOrEqual(Math.max(1_000, 4 * (count - wanted + 2)));
          expect(asked).toBeLessThanOrEqual(6);
        },
      ),
      { numRuns: 50 },
    ));
});
