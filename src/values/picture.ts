/**
 * A PNG or JPEG that contains only the picture: no text, locations, times, names, thumbnails, profiles or further pictures, and
 * nothing after its end.
 */
export interface PlainPicture {
  readonly type: "image/png" | "image/jpeg";
  /** Width in pixels, as stored, before the orientation is applied. */
  readonly width: number;
  readonly height: number;
  /** The Exif orientation that makes the picture upright, from 1 to 8; 1 if it is stored upright. */
  readonly orientation: number;
  readonly bytes: Uint8Array;
}
