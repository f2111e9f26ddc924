import { BoundedMemory } from "../bounded-memory.js";
import type { CardState, Drawer, Pictures, Scale } from "../drawing.js";
import { type Canvas, HERO_SCALE, heroCanvas, stripCanvas } from "./canvases.js";
import { isRasterizerInstalled, loadRasterizer, type Rasterizer } from "./rasterizer.js";
import { stampLayout } from "./stamp-layout.js";
import { type DrawnPictures, stampsSvg } from "./stamps-svg.js";

/** Changes with whatever changes what is drawn of a state. */
export const DRAWING_VERSION = 1;

/** How many bytes of pictures of designs are remembered at the size that they are drawn at. */
const MAX_BYTES = 16_777_216;

/** The drawer of this machine; `null` when no rasterizer is installed. */
export function installedDrawer(): Drawer | null {
  return isRasterizerInstalled() ? new StampDrawer() : null;
}

/** Draws stamps as a design has them: in its colors, as one of the built-in shapes or its own pictures. */
export class StampDrawer implements Drawer {
  private loading: Promise<Rasterizer> | null = null;
  private readonly cut = new BoundedMemory<string>(MAX_BYTES, ({ length }) => length);

  constructor(private readonly load: () => Promise<Rasterizer> = loadRasterizer) {}

  strip(state: CardState, scale: Scale, pictures: Pictures): Promise<Uint8Array> {
    return this.draw(state, stripCanvas, scale, pictures);
  }

  hero(state: CardState, pictures: Pictures): Promise<Uint8Array> {
    return this.draw(state, heroCanvas, HERO_SCALE, pictures);
  }

  private async draw(
    state: CardState,
    canvas: Canvas,
    scale: number,
    pictures: Pictures,
  ): Promise<Uint8Array> {
    const rasterize = await this.rasterizer();
    const drawn = await this.drawnPictures(state, canvas, scale, pictures);
    return rasterize(stampsSvg(state, canvas, scale, drawn));
  }

  private rasterizer(): Promise<Rasterizer> {
    this.loading ??= this.load();
    return this.loading;
  }

  private async drawnPictures(
    { look, total }: CardState,
    canvas: Canvas,
    scale: number,
    pictures: Pictures,
  ): Promise<DrawnPictures> {
    const side = Math.ceil(stampLayout(total, canvas.stamps).diameter * scale);
    const { filled, empty } = look.stamps;
    const sized = (hash: string | null, width: number, height: number, fit: Fit) =>
      hash === null ? null : this.sized(hash, { width, height, fit }, pictures);
    return {
      strip: await sized(look.strip, canvas.width * scale, canvas.height * scale, "slice"),
      filled: await sized(filled, side, side, "meet"),
      empty: await sized(empty, side, side, "meet"),
    };
  }

  /** A picture at the size that it is drawn at: it may be large, and is drawn on each stamp. */
  private sized(hash: string, { width, height, fit }: Size, pictures: Pictures): Promise<string | null> {
    return this.cut.get(`${hash} ${width} ${height}`, async () => {
      const picture = await pictures(hash);
      if (picture === null) return null;
      const href = dataUrl(picture.type, picture.bytes);
      const size = `width="${width}" height="${height}"`;
      const image = `<image ${size} preserveAspectRatio="xMidYMid ${fit}" href="${href}"/>`;
      const rasterize = await this.rasterizer();
      return dataUrl(
        "image/png",
        await rasterize(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${image}</svg>`),
      );
    });
  }
}

type Fit = "meet" | "slice";

interface Size {
  readonly width: number;
  readonly height: number;
  /** Whether all of the picture is seen, or all of the room is filled. */
  readonly fit: Fit;
}

function dataUrl(type: string, bytes: Uint8Array): string {
  return `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
}
