import type { PlainPicture } from "../../../../src/base/values/picture.js";
import { DrawingFailure, DrawingTimeout } from "./drawer.js";
import type { Rasterizer } from "./rasterizer.js";

export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/**
 * How to fit a picture into an area: `meet` shows the whole picture, and `slice` fills the whole area, cropping the picture if
 * necessary.
 */
export type Fit = "meet" | "slice";

/** Returns a picture's dimensions once it has been rotated upright. */
export function getUprightSize({ width, height, orientation }: PlainPicture): PixelSize {
  return isRotatedSideways(orientation) ? { width: height, height: width } : { width, height };
}

/**
 * Renders an uploaded picture upright, as a PNG with the given dimensions. Resolves to `null` if the picture can't be decoded.
 * @throws {DrawingTimeout} if decoding takes too long.
 * @throws {PictureTooLarge} if no threads are available and the picture is too large to render on the event loop.
 * @throws any other temporary error from the rasterizer.
 */
export async function renderPicture(
  rasterize: Rasterizer,
  picture: PlainPicture,
  box: PixelSize,
  fit: Fit,
): Promise<Uint8Array | null> {
  try {
    const pixels = picture.width * picture.height;
    const { png, isBlank } = await rasterize(formatPictureSvg(picture, box, fit), pixels);
    // Both a picture that can't be decoded and a fully transparent picture are drawn as nothing.
    const isDecodable = !isBlank || !(await rasterize(formatOpaqueSvg(picture), pixels)).isBlank;
    return isDecodable ? png : null;
  } catch (error) {
    if (error instanceof DrawingTimeout || !(error instanceof DrawingFailure)) throw error;
    return null;
  }
}

/** Draws a picture upright, in the middle of an area. */
function formatPictureSvg(picture: PlainPicture, box: PixelSize, fit: Fit): string {
  return renderSvg(box, getUprightSize(picture), `xMidYMid ${fit}`, renderImage(picture, ""));
}

/** Draws a small version in which every pixel of the picture is opaque. It is blank only if the picture can't be decoded. */
function formatOpaqueSvg(picture: PlainPicture): string {
  const opaque = `<feColorMatrix values="${"0 0 0 0 1 ".repeat(4)}"/>`;
  const paint = `<filter id="paint" x="0" y="0" width="1" height="1">${opaque}</filter>`;
  const box = { width: 16, height: 16 };
  return renderSvg(
    box,
    getUprightSize(picture),
    "none",
    paint + renderImage(picture, ' filter="url(#paint)"'),
  );
}

function renderSvg(area: PixelSize, view: PixelSize, aspect: string, inside: string): string {
  const size = `width="${area.width}" height="${area.height}"`;
  const box = `viewBox="0 0 ${view.width} ${view.height}" preserveAspectRatio="${aspect}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${box}>${inside}</svg>`;
}

function renderImage(picture: PlainPicture, filter: string): string {
  const { type, width, height, bytes } = picture;
  const size = `width="${width}" height="${height}"`;
  return `<image ${size} transform="${formatOrientation(picture)}"${filter} href="${toDataUrl(type, bytes)}"/>`;
}

export function toDataUrl(type: string, bytes: Uint8Array): string {
  return `data:${type};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}`;
}

function isRotatedSideways(orientation: number): boolean {
  return orientation >= 5;
}

/** Returns the transformation that turns a rotated or mirrored picture upright (Exif 2.32, section 4.6.4). */
function formatOrientation({ width, height, orientation }: PlainPicture): string {
  const matrices = [
    [1, 0, 0, 1, 0, 0],
    [-1, 0, 0, 1, width, 0],
    [-1, 0, 0, -1, width, height],
    [1, 0, 0, -1, 0, height],
    [0, 1, 1, 0, 0, 0],
    [0, 1, -1, 0, height, 0],
    [0, -1, -1, 0, height, width],
    [0, -1, 1, 0, 0, width],
  ];
  return `matrix(${matrices[orientation - 1]?.join(" ") ?? "1 0 0 1 0 0"})`;
}
