import fc from "fast-check";
import type { CardState } from "loyalty-kit/wallets";
import { describe, expect, it } from "vitest";
import { DrawingFailure } from "../../../adapters/delivery/wallets/rasterizing/drawer.js";
import { loadRasterizer } from "../../../adapters/delivery/wallets/rasterizing/rasterizer.js";
import { createSolidPng } from "../../../adapters/delivery/wallets/solid-png.js";
import { computeContrast } from "../../../adapters/delivery/wallets/stamp-drawing/colors.js";
import { StampDrawer } from "../../../adapters/delivery/wallets/stamp-drawing/stamp-drawer.js";
import { computeStampLayout } from "../../../adapters/delivery/wallets/stamp-drawing/stamp-layout.js";
import { buildJpeg } from "../../cards/hostile-pictures.js";
import { decodePixels } from "./pixels.js";
import { createPictures, findNoPicture, someLook } from "./some-look.js";

const drawer = new StampDrawer();
const shapes = ["CIRCLE", "STAR", "HEART", "CUP", "CHECK"] as const;
const colors = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, "0").toUpperCase()}`);

/** Reads the color at the edge of each stamp, where there is no shape. */
async function readEdges(state: CardState, pictures = findNoPicture, by = drawer) {
  const png = decodePixels(await by.strip(state, 2, pictures));
  const { diameter, centers } = computeStampLayout(state.total, {
    left: 18,
    top: 18,
    width: 339,
    height: 108,
  });
  return centers.map(([x, y]) => png.getColor((x - diameter * 0.46) * 2, y * 2));
}

describe("the drawn stamps", () => {
  it("have the sizes that the wallets require", async () => {
    const state = { look: someLook, filled: 3, total: 10 };
    const getSize = (png: Uint8Array) => [decodePixels(png).width, decodePixels(png).height];
    expect(getSize(await drawer.strip(state, 1, findNoPicture))).toEqual([375, 144]);
    expect(getSize(await drawer.strip(state, 2, findNoPicture))).toEqual([750, 288]);
    expect(getSize(await drawer.strip(state, 3, findNoPicture))).toEqual([1_125, 432]);
    expect(getSize(await drawer.hero(state, findNoPicture))).toEqual([1_032, 336]);
  });

  it("have the text color for each stamp that the card has, out of as many as it takes", async () => {
    const states = fc
      .record({
        total: fc.integer({ min: 1, max: 40 }),
        part: fc.nat(100),
        shape: fc.constantFrom(...shapes),
      })
      .map(({ total, part, shape }) => ({
        look: { ...someLook, stamps: { ...someLook.stamps, shape } },
        filled: Math.floor((total * part) / 100),
        total,
      }));
    await fc.assert(
      fc.asyncProperty(states, async (state) => {
        const inked = (await readEdges(state)).map((color) => color === "#FFFFFF");
        expect(inked).toEqual(inked.map((_, at) => at < state.filled));
      }),
      { numRuns: 40 },
    );
  });

  it("differ visibly from the missing ones in any colors of a design", async () => {
    await fc.assert(
      fc.asyncProperty(colors, colors, async (backgroundColor, foregroundColor) => {
        const look = { ...someLook, backgroundColor, foregroundColor };
        const [there = "", missing = ""] = await readEdges({ look, filled: 1, total: 5 });
        expect(computeContrast(there, missing)).toBeGreaterThan(1.25);
      }),
      { numRuns: 60 },
    );
  });

  it("are the same to the byte for the same state, whichever thread draws them", async () => {
    const state = { look: someLook, filled: 4, total: 8 };
    const [one, other] = await Promise.all(
      [1, 2].map(() => new StampDrawer().strip(state, 2, findNoPicture)),
    );
    expect(one).toEqual(other);
  });

  it("are the design's own pictures if it has any", async () => {
    const [green, red] = [createSolidPng(8, "#00FF00"), createSolidPng(8, "#FF0000")];
    const { hashes, pictures } = createPictures(green, red);
    const [filled = null, empty = null] = hashes;
    const stamps = { shape: "CUP", filled, empty } as const;
    const edgeColors = await readEdges({ look: { ...someLook, stamps }, filled: 2, total: 5 }, pictures);
    expect(edgeColors).toEqual(["#00FF00", "#00FF00", "#FF0000", "#FF0000", "#FF0000"]);
    const faded = await readEdges(
      { look: { ...someLook, stamps: { ...stamps, empty: null } }, filled: 2, total: 3 },
      pictures,
    );
    expect(faded.slice(0, 2)).toEqual(["#00FF00", "#00FF00"]);
    expect(faded[2]).not.toBe("#00FF00");
  });

  it("are on a panel in front of the design's strip", async () => {
    const { hashes, pictures } = createPictures(createSolidPng(8, "#0000FF"));
    const [strip = null] = hashes;
    const png = decodePixels(
      await drawer.strip({ look: { ...someLook, strip }, filled: 1, total: 5 }, 1, pictures),
    );
    expect(png.getColor(2, 2)).toBe("#0000FF");
    expect(png.getColor(187, 20)).not.toBe("#0000FF");
  });

  it("are drawn without pictures that are missing or damaged", async () => {
    const damaged = createSolidPng(8, "#00FF00").subarray(0, 40);
    const { hashes, pictures } = createPictures(damaged);
    const [strip = null] = hashes;
    const look = {
      ...someLook,
      strip,
      stamps: { shape: "CUP", filled: "0".repeat(64), empty: null },
    } as const;
    const [there] = await readEdges({ look, filled: 1, total: 5 }, pictures);
    expect(there).toBe("#FFFFFF");
  });

  it("are drawn without pictures that were stored unchecked and would be refused now", async () => {
    const hostile = buildJpeg({ width: 2_048, height: 2_048, scans: 20_000 });
    const { hashes, pictures } = createPictures(hostile);
    const [filled = null] = hashes;
    const look = { ...someLook, strip: filled, stamps: { shape: "CUP", filled, empty: filled } } as const;
    const without = { ...someLook, stamps: { ...someLook.stamps, shape: "CUP" } } as const;
    const state = { filled: 1, total: 5 };
    const picture = await new StampDrawer().strip({ look, ...state }, 1, pictures);
    expect(picture).toEqual(await drawer.strip({ look: without, ...state }, 1, findNoPicture));
  });

  it("are drawn without a picture that can't be drawn in time, which is tried only once", async () => {
    const { hashes, pictures } = createPictures(createSolidPng(8, "#00FF00"));
    const [filled = null] = hashes;
    const look = { ...someLook, stamps: { shape: "CUP", filled, empty: null } } as const;
    const requestedHashes: string[] = [];
    const rasterize = await loadRasterizer();
    const slow = new StampDrawer(async () => (svg) => {
      if (!svg.includes("<image")) return rasterize(svg);
      requestedHashes.push(svg);
      return Promise.reject(new DrawingFailure("took too long"));
    });
    for (const filledStamps of [1, 2, 3]) {
      const state = { look, filled: filledStamps, total: 5 };
      const [there] = await readEdges(state, pictures, slow);
      expect(there).toBe("#FFFFFF");
    }
    expect(requestedHashes).toHaveLength(1);
  });

  it("fail if the rasterizer package isn't installed", async () => {
    const absent = { findFile: () => null, readCode: async () => new Uint8Array() };
    await expect(loadRasterizer(absent)).rejects.toThrow("@resvg/resvg-wasm is not installed");
  });
});
