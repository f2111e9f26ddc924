import type { PlainPicture } from "./values/picture.js";

/**
 * Re-encodes pictures from their pixels, so nothing else from an uploaded file is stored. `createWallets` in `loyalty-kit/wallets`
 * provides a decoder. Because pictures are untrusted input, a decoder must run in isolation, with time and memory limits.
 */
export interface PictureDecoder {
  /**
   * Decodes a picture and encodes it again.
   * @param picture the picture, which might be corrupt but is within the limits for pixels, scans, and parts.
   * @returns the picture as an upright PNG, or a message that explains to the uploader why the picture was rejected.
   * @throws if decoding is temporarily unavailable.
   */
  decode(picture: PlainPicture): Promise<PlainPicture | string>;
}
