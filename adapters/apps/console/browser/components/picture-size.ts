import type { Size } from "./crop.js";

/** A picture's required size in pixels. If `isTrimmed` is true, parts of the frame that the picture doesn't cover are trimmed. */
export interface PictureSize extends Size {
  readonly isTrimmed?: boolean;
}

/** Size of the largest logo that wallets show, for phones with three pixels per point. */
export const logoSize: PictureSize = { width: 480, height: 150, isTrimmed: true };
