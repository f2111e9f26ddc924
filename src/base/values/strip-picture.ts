import { stripJpeg } from "./jpeg.js";
import type { PlainPicture } from "./picture.js";
import { stripPng } from "./png.js";

/** Maximum width and height of a picture, in pixels. */
const MAX_SIDE = 2_048;

/**
 * Removes everything except the picture itself from a PNG or JPEG. The format is detected from the content. Nothing is decoded, so
 * an accepted picture can still be damaged, but the time and memory needed to decode it are bounded.
 * @returns the stripped picture, or an error message for the sender if the picture is refused.
 */
export function stripPicture(bytes: Uint8Array): PlainPicture | string {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const picture = data[0] === 0x89 ? stripPng(data) : stripJpeg(data);
  if (picture === null) return "must be a complete PNG or JPEG";
  if (typeof picture === "string") return picture;
  const { width, height } = picture;
  return width > MAX_SIDE || height > MAX_SIDE ? `must be at most ${MAX_SIDE} pixels wide and high` : picture;
}
