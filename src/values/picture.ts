/**
 * A PNG or JPEG with nothing in it but the picture: no texts, places, times, names, thumbnails or profiles, no further
 * pictures, and nothing after its end.
 */
export interface PlainPicture {
  readonly type: "image/png" | "image/jpeg";
  /** The width and height are in pixels, as stored. */
  readonly width: number;
  readonly height: number;
  /** The turn that makes the picture upright, 1 to 8 as in Exif; 1 for a picture that is upright. */
  readonly orientation: number;
  readonly bytes: Uint8Array;
}
