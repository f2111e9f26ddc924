import { type Crop, placePicture, type Size, visibleArea } from "./crop.js";

/** Maximum size that the server accepts, in bytes. */
const MAX_BYTES = 524_288;

/** JPEG qualities to try, in this order, if a picture is too large as a PNG. */
const QUALITIES = [0.92, 0.8, 0.6];

/** A picture's required size in pixels. If `isTrimmed` is true, parts of the frame that the picture doesn't cover are trimmed. */
export interface PictureSize extends Size {
  readonly isTrimmed?: boolean;
}

/** Size of the largest logo that wallets show, for phones with three pixels per point. */
export const logoSize: PictureSize = { width: 480, height: 150, isTrimmed: true };

/**
 * Crops a picture and scales it to the given size.
 * @returns a `data:` URL, or `null` if the picture exceeds the server's size limit in every encoding.
 */
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
    // JPEG doesn't support transparency, so transparent parts become white.
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
