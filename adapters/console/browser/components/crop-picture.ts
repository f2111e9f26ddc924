import { type Crop, placePicture, type Size, visibleArea } from "./crop.js";

/** The most bytes that the server takes. */
const MAX_BYTES = 524_288;

/** How good a photo is kept that takes too many bytes as it is, one at a time until it fits. */
const QUALITIES = [0.92, 0.8, 0.6];

/** The size in pixels that a picture gets, and whether room that it leaves is cut off. */
export interface PictureSize extends Size {
  readonly isTrimmed?: boolean;
}

/** The largest logo that wallets show, on phones that have three pixels for a point. */
export const logoSize: PictureSize = { width: 480, height: 150, isTrimmed: true };

/** Cuts a picture to the size that is needed. @returns a `data:` URL; `null` if it takes too many bytes in any way. */
export function cropPicture(picture: ImageBitmap, size: PictureSize, crop: Crop): string | null {
  const place = placePicture(picture, size, crop);
  const part = size.isTrimmed ? visibleArea(size, place) : { left: 0, top: 0, ...size };
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(part.width));
  canvas.height = Math.max(1, Math.round(part.height));
  const pen = canvas.getContext("2d");
  if (pen === null) return null;
  pen.imageSmoothingQuality = "high";
  pen.drawImage(picture, place.left - part.left, place.top - part.top, place.width, place.height);
  const made = [
    () => canvas.toDataURL("image/png"),
    // A JPEG has no transparent parts: they are white in it.
    ...QUALITIES.map((quality) => () => onWhite(canvas).toDataURL("image/jpeg", quality)),
  ];
  for (const make of made) {
    const url = make();
    if (bytesIn(url) <= MAX_BYTES) return url;
  }
  return null;
}

function onWhite(canvas: HTMLCanvasElement): HTMLCanvasElement {
  const pen = canvas.getContext("2d");
  if (pen !== null) {
    pen.globalCompositeOperation = "destination-over";
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
  }
  return canvas;
}

function bytesIn(dataUrl: string): number {
  return Math.ceil(((dataUrl.length - dataUrl.indexOf(",")) * 3) / 4);
}
