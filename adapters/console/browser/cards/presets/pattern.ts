import { mixColors } from "../../../../wallets/stamp-drawing/colors.js";
import { motifs } from "./motifs.js";
import type { TradeLook } from "./trades.js";

/** Size in pixels of the picture behind the stamps, on phones with a pixel ratio of 3. */
const WIDTH = 1_125;
const HEIGHT = 432;
const STEP = 136;

/**
 * Draws a picture filled with a trade's motif in shades of the trade's colors.
 * @returns the picture as a `data:` URL, or `null` if the browser can't draw on a canvas.
 */
export function drawPattern({ motif, backgroundColor, foregroundColor }: TradeLook): string | null {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const pen = canvas.getContext("2d");
  if (pen === null) return null;
  pen.fillStyle = mixColors(backgroundColor, foregroundColor, 0.1);
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  pen.fillStyle = mixColors(backgroundColor, foregroundColor, 0.34);
  const path = new Path2D(motifs[motif]);
  for (let row = 0; row * STEP < HEIGHT + STEP; row += 1) {
    for (let column = 0; column * STEP < WIDTH + STEP; column += 1) {
      const tilt = (row + column) % 2 === 0 ? -0.2 : 0.2;
      pen.setTransform(1, 0, 0, 1, (column + (row % 2) / 2) * STEP, row * STEP + 12);
      pen.rotate(tilt);
      pen.fill(path, "evenodd");
    }
  }
  return canvas.toDataURL("image/png");
}
