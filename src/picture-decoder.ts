import type { PlainPicture } from "./values/picture.js";

/**
 * Re-encodes pictures from their pixels, so that nothing else in an uploaded file is stored; `createWallets` in
 * `loyalty-kit/wallets` provides a decoder. Its input is untrusted, so it must run isolated, with time and memory limits.
 */
export interface PictureDecoder {
  /**
   * @param picture may be corrupt, but is within the limits for pixels, scans and parts.
   * @returns the picture as an upright PNG, or a message that explains to the sender why the picture was rejected.
   * @throws if decoding is temporarily unavailable.
   */
  decode(picture: PlainPicture): Promise<PlainPicture | string>;
}
