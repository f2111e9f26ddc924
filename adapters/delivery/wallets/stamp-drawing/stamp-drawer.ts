import { putAndEvict } from "../../../../src/base/bounded-map.js";
import { stripPicture } from "../../../../src/base/values/picture.js";
import type { CardState, Scale, StampRenderer } from "../drawing.js";
import { type FindPicture, LruCache } from "../picture-cache.js";
import { DrawingTimeout, PictureTooLarge } from "../rasterizing/drawer.js";
import { getRasterizer, isRasterizerInstalled, type Rasterizer } from "../rasterizing/rasterizer.js";
import { type Fit, type PixelSize, renderPicture, toDataUrl } from "../rasterizing/render-picture.js";
import { type Canvas, computeStampLayout, HERO_SCALE, heroCanvas, stripCanvas } from "./stamp-layout.js";
import { type DrawnPictures, renderStampsSvg } from "./stamps-svg.js";

/** The version of the drawings. Increase it whenever their appearance changes. */
export const DRAWING_VERSION = 1;

/** Maximum size of cached pictures, already scaled for drawing, in UTF-16 code units. */
const MAX_BYTES = 16_777_216;

/** Maximum number of pictures that are remembered as undrawable, and for how long, in milliseconds. */
const MAX_UNDRAWABLE = 1_000;
const UNDRAWABLE_MS = 600_000;

/** Creates the built-in stamp renderer. Returns `null` if no rasterizer is installed. */
export function createStampDrawer(): StampRenderer | null {
  return isRasterizerInstalled() ? new StampDrawer() : null;
}

/** Draws stamps in a design's colors, using either a built-in shape or the design's pictures. */
export class StampDrawer implements StampRenderer {
  private readonly scaledPictures = new LruCache<string>(MAX_BYTES, ({ length }) => length);
  /** The times until which undrawable pictures are left out, keyed by hash. */
  private readonly undrawable = new Map<string, number>();

  constructor(private readonly load: () => Promise<Rasterizer> = getRasterizer) {}

  strip(state: CardState, scale: Scale, pictures: FindPicture): Promise<Uint8Array> {
    return this.draw(state, stripCanvas, scale, pictures);
  }

  hero(state: CardState, pictures: FindPicture): Promise<Uint8Array> {
    return this.draw(state, heroCanvas, HERO_SCALE, pictures);
  }

  private async draw(
    state: CardState,
    canvas: Canvas,
    scale: number,
    pictures: FindPicture,
  ): Promise<Uint8Array> {
    const rasterize = await this.load();
    const drawnImages = await this.scalePictures(state, canvas, scale, pictures);
    return (await rasterize(renderStampsSvg(state, canvas, scale, drawnImages))).png;
  }

  private async scalePictures(
    { look, total }: CardState,
    canvas: Canvas,
    scale: number,
    pictures: FindPicture,
  ): Promise<DrawnPictures> {
    const side = Math.ceil(computeStampLayout(total, canvas.stamps).diameter * scale);
    const { filled, empty } = look.stamps;
    const resize = (hash: string | null, width: number, height: number, fit: Fit) =>
      hash === null ? null : this.resizePicture(hash, { width, height }, fit, pictures);
    return {
      strip: await resize(look.strip, canvas.width * scale, canvas.height * scale, "slice"),
      filled: await resize(filled, side, side, "meet"),
      empty: await resize(empty, side, side, "meet"),
    };
  }

  /**
   * Returns a picture scaled to the size at which it is drawn, because it may be large and appears on each stamp. Resolves to
   * `null` if there is no picture, or if it can't be drawn because it was stored before uploads were re-encoded.
   */
  private resizePicture(
    hash: string,
    box: PixelSize,
    fit: Fit,
    pictures: FindPicture,
  ): Promise<string | null> {
    return this.scaledPictures.get(`${hash} ${box.width} ${box.height}`, async () => {
      if ((this.undrawable.get(hash) ?? 0) > Date.now()) return null;
      const storedPicture = await pictures(hash);
      if (storedPicture === null) return null;
      const picture = stripPicture(storedPicture.bytes);
      const rasterize = await this.load();
      const image = typeof picture === "string" ? null : await renderOrNull(rasterize, picture, box, fit);
      if (image !== null) return toDataUrl("image/png", image);
      putAndEvict(this.undrawable, hash, Date.now() + UNDRAWABLE_MS, MAX_UNDRAWABLE);
      return null;
    });
  }
}

/** Draws a picture like {@link renderPicture}, but also resolves to `null` if it takes too long or is too large. */
async function renderOrNull(...drawing: Parameters<typeof renderPicture>): Promise<Uint8Array | null> {
  try {
    return await renderPicture(...drawing);
  } catch (error) {
    if (error instanceof DrawingTimeout || error instanceof PictureTooLarge) return null;
    throw error;
  }
}
