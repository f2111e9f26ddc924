import type { Page } from "playwright-core";
import decodeQR from "qr/decode.js";

/** Pixels per square of the code. */
const SCALE = 8;

/** Reads the QR code that the page shows, as a camera would. */
export async function readQr(page: Pick<Page, "getByRole">, label: RegExp): Promise<string> {
  const svg = await page.getByRole("img", { name: label }).innerHTML();
  const squares = [...svg.matchAll(/M(\d+) (\d+)h1v1/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
  const border = Math.min(...squares.map(([x]) => x));
  const size = (Math.max(...squares.map(([x]) => x)) + border + 1) * SCALE;
  const data = new Uint8Array(size * size * 4).fill(255);
  for (const [x, y] of squares) {
    for (let row = y * SCALE; row < (y + 1) * SCALE; row += 1) {
      for (let column = x * SCALE; column < (x + 1) * SCALE; column += 1) {
        data.fill(0, (row * size + column) * 4, (row * size + column) * 4 + 3);
      }
    }
  }
  return decodeQR({ width: size, height: size, data });
}
