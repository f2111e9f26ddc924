import { type Crop, computeVisibleArea, placePicture } from "./crop.js";
import type { PictureSize } from "./picture-size.js";

/** Maximum size that the server accepts, in bytes. */
const MAX_BYTES = 524_288;

/** JPEG qualities to try, in this order, if a picture is too large as a PNG. */
const QUALITIES = [0.92, 0.8, 0.6];

/**
 * Crops a picture and scales it to the given size.
 * @returns a `data:` URL, or `null` if the picture exceeds the server's size limit in every encoding.
 */
export function cropPicture(picture: ImageBitmap, size: PictureSize, crop: Crop): string | null {
  const pictureRect = placePicture(picture, size, crop);
  const area = size.isTrimmed ? computeVisibleArea(size, pictureRect) : { left: 0, top: 0, ...size };
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(area.width));
  canvas.height = Math.max(1, Math.round(area.height));
  const context = canvas.getContext("2d");
  if (context === null) return null;
  context.imageSmoothingQuality = "high";
  context.drawImage(
    picture,
    pictureRect.left - area.left,
    pictureRect.top - area.top,
    pictureRect.width,
    pictureRect.height,
  );
  const encoders = [
    () => canvas.toDataURL("image/png"),
    // JPEG doesn't support transparency, so transparent parts become white.
    ...QUALITIES.map((quality) => () => fillWhiteBackground(canvas).toDataURL("image/jpeg", quality)),
  ];
  for (const encode of encoders) {
    const url = encode();
    if (countBytes(url) <= MAX_BYTES) return url;
  }
  return null;
}

function fillWhiteBackground(canvas: HTMLCanvasElement): HTMLCanvasElement {
  const context = canvas.getContext("2d");
  if (context !== null) {
    context.globalCompositeOperation = "destination-over";
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  return canvas;
}

function countBytes(dataUrl: string): number {
  return Math.ceil(((dataUrl.length - dataUrl.indexOf(",")) * 3) / 4);
}
