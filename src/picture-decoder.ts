import type { PlainPicture } from "./values/picture.js";

/**
 * Makes pictures anew from their pixels, so that what is kept is nobody else's file; `createWallets` of
 * `loyalty-kit/wallets` has one. What it is given comes from strangers: it has to work where that does no harm, with a limit
 * of time and memory.
 */
export interface PictureDecoder {
  /**
   * @param picture may be damaged, but has no more pixels, scans and parts than are taken.
   * @returns the picture as an upright PNG; a text that says why there is none, for who sent it.
   * @throws when nothing can be decoded now.
   */
  decode(picture: PlainPicture): Promise<PlainPicture | string>;
}
