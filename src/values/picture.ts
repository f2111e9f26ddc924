/**
 * A PNG or JPEG with nothing in it but the picture: no texts, places, times, names, thumbnails or profiles, no further
 * pictures, and nothing after its end.
 */
export interface PlainPicture {
  readonly type: "image/png" | "image/jpeg";
  /** In pixels, as it is stored. */
  readonly width: number;
  readonly height: number;
  /** How it is to be turned to be upright, 1 to 8 as in Exif; 1 for one that is. */
  readonly orientation: number;
  readonly bytes: Uint8Array;
}
