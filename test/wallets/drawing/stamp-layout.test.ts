import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeStampLayout } from "../../../adapters/delivery/wallets/stamp-drawing/stamp-layout.js";

const area = { left: 18, top: 18, width: 339, height: 108 };
const totals = fc.integer({ min: 1, max: 100 });

const listRows = (total: number) => {
  const rows = new Map<number, number>();
  for (const [, y] of computeStampLayout(total, area).centers) rows.set(y, (rows.get(y) ?? 0) + 1);
  return [...rows.values()];
};

describe("the layout of stamps", () => {
  it("has a place for each stamp, inside the area, and none touches another", () => {
    fc.assert(
      fc.property(totals, (total) => {
        const { diameter, centers } = computeStampLayout(total, area);
        expect(centers).toHaveLength(total);
        for (const [x, y] of centers) {
          expect(x - diameter / 2).toBeGreaterThanOrEqual(area.left);
          expect(x + diameter / 2).toBeLessThanOrEqual(area.left + area.width);
          expect(y - diameter / 2).toBeGreaterThanOrEqual(area.top);
          expect(y + diameter / 2).toBeLessThanOrEqual(area.top + area.height);
        }
        centers.forEach(([x, y], at) => {
          for (const [otherX, otherY] of centers.slice(at + 1)) {
            expect(Math.hypot(x - otherX, y - otherY)).toBeGreaterThan(diameter * 1.1);
          }
        });
      }),
    );
  });

  it("goes from left to right and from top to bottom", () => {
    fc.assert(
      fc.property(totals, (total) => {
        const { centers } = computeStampLayout(total, area);
        expect(centers.toSorted(([x, y], [otherX, otherY]) => y - otherY || x - otherX)).toEqual(centers);
      }),
    );
  });

  it("is centered horizontally", () => {
    fc.assert(
      fc.property(totals, (total) => {
        const middle = area.left + area.width / 2;
        const { centers } = computeStampLayout(total, area);
        for (const [, y] of centers) {
          const row = centers.filter(([, other]) => other === y);
          expect(row.reduce((sum, [x]) => sum + x, 0) / row.length).toBeCloseTo(middle);
        }
      }),
    );
  });

  it("has even rows for the usual cards", () => {
    expect([5, 6, 8, 10, 12, 20].map(listRows)).toEqual([[5], [6], [4, 4], [5, 5], [6, 6], [10, 10]]);
  });
});
