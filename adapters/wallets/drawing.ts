import type { Design, StoredPicture } from "../../src/index.js";

/** What is drawn of a card. */
export interface CardState {
  /** `null` for a template without a design. */
  readonly design: Design | null;
  /** Stamps on the card, of so many. */
  readonly filled: number;
  readonly total: number;
}

/** Draws what a design has no pictures for. */
export interface Drawer {
  /** The strip of a stamp card, 375 by 144 points, at a scale of 1, 2 or 3, as a PNG. */
  strip(state: CardState, scale: 1 | 2 | 3, pictures: Pictures): Promise<Uint8Array>;
  /** The hero image of a stamp card at Google, 1,032 by 336 pixels, as a PNG. */
  hero?(state: CardState, pictures: Pictures): Promise<Uint8Array>;
}

/** The picture of a hash; `null` when it is kept no more. */
export type Pictures = (hash: string) => Promise<StoredPicture | null>;

/** How many bytes of pictures are remembered. */
const MAX_BYTES = 33_554_432;

/** Remembers pictures, which never change, up to 32 MiB of them. */
export function rememberedPictures(find: Pictures): Pictures {
  const known = new Map<string, StoredPicture>();
  let bytes = 0;
  return async (hash) => {
    const remembered = known.get(hash);
    if (remembered !== undefined) {
      known.delete(hash);
      known.set(hash, remembered);
      return remembered;
    }
    const picture = await find(hash);
    if (picture === null) return null;
    if (!known.has(hash)) bytes += picture.bytes.byteLength;
    known.set(hash, picture);
    for (const [oldest, { bytes: ofOldest }] of known) {
      if (bytes <= MAX_BYTES) break;
      known.delete(oldest);
      bytes -= ofOldest.byteLength;
    }
    return picture;
  };
}
