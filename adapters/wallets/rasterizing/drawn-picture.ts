import type { PlainPicture } from "../../../src/index.js";
import { type Fit, paintedSvg, pictureSvg, type Size } from "./picture-svg.js";
import type { Rasterizer } from "./rasterizer.js";
import { DrawingFailure } from "./rasterizer-thread.js";

/**
 * The PNG of a picture that somebody sent, upright and of a size; `null` when it can't be decoded, or not in time.
 * @throws when nothing can be drawn now.
 */
export async function drawnPicture(
  rasterize: Rasterizer,
  picture: PlainPicture,
  room: Size,
  fit: Fit,
): Promise<Uint8Array | null> {
  try {
    const { png, isBlank } = await rasterize(pictureSvg(picture, room, fit));
    // What can't be decoded is drawn as nothing, and so is a picture that is all transparent.
    const isThere = !isBlank || !(await rasterize(paintedSvg(picture))).isBlank;
    return isThere ? png : null;
  } catch (error) {
    if (error instanceof DrawingFailure) return null;
    throw error;
  }
}
