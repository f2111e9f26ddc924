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
  it("covers the frame at first, and is centered", () => {
    expect(placePicture(wide, frame, createInitialCrop(wide, frame, false))).toEqual({
      ...{ left: -150, top: 0, width: 600, height: 100 },
    });
    expect(placePicture(high, frame, createInitialCrop(high, frame, false))).toEqual({
      ...{ left: 0, top: -250, width: 300, height: 600 },
    });
  });

  it("can fit into the frame as a whole, so that the visible area is only the picture's part of the frame", () => {
    const position = placePicture(high, frame, createInitialCrop(high, frame, true));
    expect(position).toEqual({ left: 125, top: 0, width: 50, height: 100 });
    expect(computeVisibleArea(frame, position)).toEqual(position);
    expect(
      computeVisibleArea(frame, placePicture(high, frame, createInitialCrop(high, frame, false))),
    ).toEqual({
      ...{ left: 0, top: 0, ...frame },
    });
  });

  it("moves only up to its edges, and never leaves part of the frame empty while it covers the frame", () => {
    const crop = createInitialCrop(wide, frame, false);
    const { left, top } = placePicture(wide, frame, panBy(wide, frame, crop, { right: 40, down: 40 }));
    expect(left).toBeCloseTo(-110);
    expect(top).toBe(0);
    expect(placePicture(wide, frame, panBy(wide, frame, crop, { right: 9_999, down: 0 })).left).toBeCloseTo(
      0,
    );
    expect(placePicture(wide, frame, panBy(wide, frame, crop, { right: -9_999, down: 0 })).left).toBe(-300);
  });

  it("zooms around its center, up to six times, and gets no smaller than the whole picture", () => {
    const zoomed = placePicture(wide, frame, zoomBy(wide, frame, createInitialCrop(wide, frame, false), 2));
    expect(zoomed).toEqual({ left: -450, top: -50, width: 1_200, height: 200 });
    expect(zoomBy(wide, frame, createInitialCrop(wide, frame, false), 99).zoom).toBe(6);
    expect(zoomBy(wide, frame, createInitialCrop(wide, frame, false), 0.001).zoom).toBe(
      computeMinZoom(wide, frame),
    );
  });
});
