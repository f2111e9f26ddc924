import type { PlainPicture } from "../../../src/base/values/picture.js";
import type { PictureDecoder } from "../../../src/index.js";
import { PictureTooLarge } from "./rasterizing/drawer.js";
import { getRasterizer, isRasterizerInstalled, type Rasterizer } from "./rasterizing/rasterizer.js";
import { getUprightSize, renderPicture } from "./rasterizing/render-picture.js";

/** Maximum size of a re-encoded PNG in bytes. Photos are larger as PNG than as JPEG. */
const MAX_BYTES = 1_048_576;

/** Factor that scales down slightly further than necessary, so that the next attempt fits. */
const SHRINK_FACTOR = 0.9;
const MAX_ATTEMPTS = 4;

const UNREADABLE_MESSAGE = "can't be decoded: save it again as a PNG";

/**
 * Creates a decoder for the service's `pictureDecoder` option, for processes that don't set up wallets. Returns `null` if
 * `@resvg/resvg-wasm` isn't installed.
 *
 * @example
 * import { LoyaltyService } from "loyalty-kit";
 * import { memoryStorage } from "loyalty-kit/memory";
 * import { pictureDecoder } from "loyalty-kit/wallets";
 *
 * const decoder = pictureDecoder();
 * const loyalty = new LoyaltyService({ storage: memoryStorage(), ...(decoder && { pictureDecoder: decoder }) });
 */
export function pictureDecoder(): PictureDecoder | null {
  if (!isRasterizerInstalled()) return null;
  return {
    async decode(picture) {
      const rasterize = await getRasterizer();
      // If no thread can start, a large picture stays as uploaded.
      return convertPicture(rasterize, picture).catch((error) => {
        if (error instanceof PictureTooLarge) return picture;
        throw error;
      });
    },
  };
}

/**
 * Re-encodes a picture as an upright PNG of at most 1 MiB, scaling it down if necessary.
 * @returns the picture, or an error message if the picture can't be decoded.
 * @throws an error if decoding fails for a temporary reason, for example because the machine is busy.
 */
export async function convertPicture(
  rasterize: Rasterizer,
  picture: PlainPicture,
): Promise<PlainPicture | string> {
  let size = getUprightSize(picture);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const bytes = await renderPicture(rasterize, picture, size, "meet");
    if (bytes === null) break;
    if (bytes.byteLength <= MAX_BYTES) return { type: "image/png", ...size, orientation: 1, bytes };
    const scale = Math.sqrt(MAX_BYTES / bytes.byteLength) * SHRINK_FACTOR;
    size = {
      width: Math.max(1, Math.floor(size.width * scale)),
      height: Math.max(1, Math.floor(size.height * scale)),
    };
  }
  return UNREADABLE_MESSAGE;
}
