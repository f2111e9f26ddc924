import { Semaphore } from "../../src/concurrency/semaphore.js";
import { failure } from "../../src/errors.js";
import type { Design, ErrorListener, StoredPicture } from "../../src/index.js";
import { isLoyaltyError } from "../../src/index.js";
import { BoundedMemory } from "./bounded-memory.js";

/** What of a design is drawn. Pictures are named by their hashes. */
export type CardLook = Pick<
  Design,
  "backgroundColor" | "foregroundColor" | "labelColor" | "strip" | "stamps"
>;

/** What is drawn of a card. */
export interface CardState {
  readonly look: CardLook;
  /** Stamps on the card, of so many: 1 to 100. */
  readonly filled: number;
  readonly total: number;
}

export type Scale = 1 | 2 | 3;

/** Draws the stamps of a card as a PNG; `null` when it can't: the card goes out without. */
export interface Drawer {
  /** For Apple's Wallet, 375 by 144 points. Some phones cut 10 points off above and below. */
  strip(state: CardState, scale: Scale, pictures: Pictures): Promise<Uint8Array | null>;
  /** For Google's Wallet, 1,032 by 336 pixels. */
  hero(state: CardState, pictures: Pictures): Promise<Uint8Array | null>;
}

/** The picture of a hash; `null` when it is kept no more. */
export type Pictures = (hash: string) => Promise<StoredPicture | null>;

/** How many bytes of pictures are remembered, and of drawings. */
const MAX_BYTES = 33_554_432;

/** How many drawings are made at once, and how many wait; each takes some milliseconds. */
const DRAWN_AT_ONCE = 2;
const MAX_WAITING = 500;

/** What cards without a design look like. */
const plainLook: CardLook = {
  backgroundColor: "#FFFFFF",
  foregroundColor: "#111827",
  labelColor: "#4B5563",
  strip: null,
  stamps: { shape: "CIRCLE", filled: null, empty: null },
};

export function lookOf(design: Design | null): CardLook {
  const { backgroundColor, foregroundColor, labelColor, strip, stamps } = design ?? plainLook;
  return { backgroundColor, foregroundColor, labelColor, strip, stamps };
}

/** Remembers pictures, which never change, up to 32 MiB of them. */
export function rememberedPictures(find: Pictures): Pictures {
  const memory = new BoundedMemory<StoredPicture>(MAX_BYTES, ({ bytes }) => bytes.byteLength);
  return (hash) => memory.get(hash, () => find(hash));
}

/**
 * Remembers drawings, up to 32 MiB of them, and makes two at once. What fails is told, and drawn as nothing: a drawing is
 * no reason for a card not to go out.
 * @throws {LoyaltyError} from its methods, `storage_unavailable`, when 500 drawings wait.
 */
export function rememberedDrawings(drawer: Drawer, onError: ErrorListener): Drawer {
  const memory = new BoundedMemory<Uint8Array>(MAX_BYTES, ({ byteLength }) => byteLength);
  const slots = new Semaphore(DRAWN_AT_ONCE);
  let waiting = 0;

  async function drawn(draw: () => Promise<Uint8Array | null>): Promise<Uint8Array | null> {
    if (waiting >= MAX_WAITING) throw failure("storage_unavailable");
    waiting += 1;
    try {
      return await slots.run(draw);
    } catch (error) {
      if (isLoyaltyError(error)) throw error;
      onError(error);
      return null;
    } finally {
      waiting -= 1;
    }
  }

  return {
    strip: (state, scale, pictures) =>
      memory.get(`${scale} ${keyOf(state)}`, () => drawn(() => drawer.strip(state, scale, pictures))),
    hero: (state, pictures) =>
      memory.get(`hero ${keyOf(state)}`, () => drawn(() => drawer.hero(state, pictures))),
  };
}

function keyOf({ look, filled, total }: CardState): string {
  return JSON.stringify([filled, total, look]);
}
