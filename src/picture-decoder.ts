import type { PlainPicture } from "./values/picture.js";

/**
 * Re-encodes pictures from their pixels, so that nothing else of an uploaded file is stored; `createWallets` of
 * `loyalty-kit/wallets` has a decoder. Its input comes from strangers, so it must run isolated, with limits of time and memory.
 */
export interface PictureDecoder {
  /**
   * @param picture may be damaged, but is within the limits of pixels, scans and parts.
   * @returns the picture as an upright PNG, or a text that tells the sender why there is none.
   * @throws if nothing can be decoded now.
   */
  decode(picture: PlainPicture): Promise<PlainPicture | string>;
}
