import { describe, expect, it } from "vitest";
import {
  computeMinZoom,
  computeVisibleArea,
  createInitialCrop,
  panBy,
  placePicture,
  zoomBy,
} from "../../adapters/apps/console/browser/components/crop.js";

const frame = { width: 300, height: 100 };
const wide = { width: 1_200, height: 200 };
const high = { width: 400, height: 800 };

describe("a picture in a frame", () => {
  it("covers it at first, with its middle in the middle", () => {
    expect(placePicture(wide, frame, createInitialCrop(wide, frame, false))).toEqual({
      ...{ left: -150, top: 0, width: 600, height: 100 },
    });
    expect(placePicture(high, frame, createInitialCrop(high, frame, false))).toEqual({
      ...{ left: 0, top: -250, width: 300, height: 600 },
    });
  });

  it("is in it as a whole where that is wanted, and fills that part of it", () => {
    const position = placePicture(high, frame, createInitialCrop(high, frame, true));
    expect(position).toEqual({ left: 125, top: 0, width: 50, height: 100 });
    expect(computeVisibleArea(frame, position)).toEqual(position);
    expect(
      computeVisibleArea(frame, placePicture(high, frame, createInitialCrop(high, frame, false))),
    ).toEqual({
      ...{ left: 0, top: 0, ...frame },
    });
  });

  it("moves as far as it goes, and never shows what is beside it while it covers the frame", () => {
    const crop = createInitialCrop(wide, frame, false);
    const { left, top } = placePicture(wide, frame, panBy(wide, frame, crop, { right: 40, down: 40 }));
    expect(left).toBeCloseTo(-110);
    expect(top).toBe(0);
    expect(placePicture(wide, frame, panBy(wide, frame, crop, { right: 9_999, down: 0 })).left).toBeCloseTo(
      0,
    );
    expect(placePicture(wide, frame, panBy(wide, frame, crop, { right: -9_999, down: 0 })).left).toBe(-300);
  });

  it("grows around the middle, up to six times, and becomes no smaller than whole", () => {
    const zoomed = placePicture(wide, frame, zoomBy(wide, frame, createInitialCrop(wide, frame, false), 2));
    expect(zoomed).toEqual({ left: -450, top: -50, width: 1_200, height: 200 });
    expect(zoomBy(wide, frame, createInitialCrop(wide, frame, false), 99).zoom).toBe(6);
    expect(zoomBy(wide, frame, createInitialCrop(wide, frame, false), 0.001).zoom).toBe(
      computeMinZoom(wide, frame),
    );
  });
});
