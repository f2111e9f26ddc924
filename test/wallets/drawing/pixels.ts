import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

const code = createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm");
await initWasm(await readFile(code)).catch((error: unknown) => {
  // Test files of one process share the package.
  if (!String(error).includes("Already initialized")) throw error;
});

/** A picture whose pixels can be read. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Returns the color at a pixel, as `#RRGGBB`. */
  getColor(x: number, y: number): string;
}

export function decodePixels(png: Uint8Array): Pixels {
  const [width, height] = [16, 20].map((at) => Buffer.from(png).readUInt32BE(at));
  const href = `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
  const size = `width="${width}" height="${height}"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size}><image ${size} href="${href}"/></svg>`;
  const pixels = Buffer.from(new Resvg(svg, { font: { loadSystemFonts: false } }).render().pixels);
  return {
    width: width ?? 0,
    height: height ?? 0,
    getColor(x, y) {
      const start = (Math.round(y) * (width ?? 0) + Math.round(x)) * 4;
      return `#${pixels
        .subarray(start, start + 3)
        .toString("hex")
        .toUpperCase()}`;
    },
  };
}
