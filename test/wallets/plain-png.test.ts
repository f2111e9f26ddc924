import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSolidPng } from "../../adapters/delivery/wallets/solid-png.js";
import { runs } from "../properties/runs.js";
import { decodePixels } from "./drawing/pixels.js";

const color = fc
  .integer({ min: 0, max: 0xffffff })
  .map((rgb) => `#${rgb.toString(16).padStart(6, "0").toUpperCase()}`);

describe("a plain square", () => {
  it("has its color everywhere, and few bytes at any size", () => {
    fc.assert(
      fc.property(color, fc.constantFrom(1, 7, 8, 9, 87, 660), (hexColor, side) => {
        const png = createSolidPng(side, hexColor);
        const { width, height, getColor: at } = decodePixels(png);
        const last = side - 1;
        expect([width, height, at(0, 0), at(last, 0), at(0, last), at(last, last)]).toEqual([
          side,
          side,
          ...Array(4).fill(hexColor),
        ]);
        expect(png.byteLength).toBeLessThan(250);
      }),
      runs(30),
    );
  });
});
