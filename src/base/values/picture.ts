/**
 * A PNG or JPEG that contains only the picture itself, without text, locations, times, names, thumbnails, profiles, additional
 * pictures, or trailing data.
 */
export interface PlainPicture {
  readonly type: "image/png" | "image/jpeg";
  /** Width in pixels as stored, before the orientation is applied. */
  readonly width: number;
  readonly height: number;
  /** The Exif orientation to apply before the picture is displayed, from 1 to 8. 1 means that the picture is stored upright. */
  readonly orientation: number;
  readonly bytes: Uint8Array;
}
