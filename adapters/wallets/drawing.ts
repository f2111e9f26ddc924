import { FairSemaphore } from "../../src/concurrency/fair-semaphore.js";
import { withTimeout } from "../../src/concurrency/timeout.js";
import { isLoyaltyError, unavailable } from "../../src/errors.js";
import type { ErrorListener } from "../../src/events/event-emitter.js";
import type { CardLook } from "./card-look.js";
import { LruCache } from "./lru-cache.js";
import type { FindPicture } from "./picture-cache.js";

export interface CardState {
  readonly look: CardLook;
  /** Stamps on the card, out of the total: 1 to 100. */
  readonly filled: number;
  readonly total: number;
}

export type Scale = 1 | 2 | 3;

/** Draws the stamps of a card as a PNG; `null` if it can't: the card goes out without. */
export interface StampRenderer {
  /** Draws for Apple's Wallet, 375 by 144 points. Some phones cut 10 points off above and below. */
  strip(state: CardState, scale: Scale, pictures: FindPicture): Promise<Uint8Array | null>;
  /** Draws for Google's Wallet, 1,032 by 336 pixels. */
  hero(state: CardState, pictures: FindPicture): Promise<Uint8Array | null>;
}

/** The limit of remembered drawings. */
const MAX_BYTES = 33_554_432;

/** Concurrent drawings; an organization has at most one of them. */
const DRAWN_AT_ONCE = 2;

/** An organization's drawings that wait are limited, and give up after this time. */
const MAX_WAITING = 200;
const PATIENCE_MS = 10_000;

/** The time for one drawing exceeds the rasterizer's for it and for each of its pictures. */
const DEADLINE_MS = 25_000;

/** Drawings for organizations, which take turns. */
export interface Drawings {
  /** {@link StampRenderer.strip} for a card of the organization. */
  strip(
    organizationId: string,
    state: CardState,
    scale: Scale,
    pictures: FindPicture,
  ): Promise<Uint8Array | null>;
  /** {@link StampRenderer.hero} for a card of the organization. */
  hero(organizationId: string, state: CardState, pictures: FindPicture): Promise<Uint8Array | null>;
}

/**
 * Caches drawings, up to 32 MiB, and makes two at the same time, of different organizations. A drawing that fails, waits longer than
 * 10 seconds or takes longer than 25 is reported and left out, so that the card still goes out.
 * @throws {LoyaltyError} from its methods, `storage_unavailable`, if 200 drawings of the organization wait.
 */
export function createDrawingCache(drawer: StampRenderer, onError: ErrorListener): Drawings {
  const memory = new LruCache<Uint8Array>(MAX_BYTES, ({ byteLength }) => byteLength);
  const turns = new FairSemaphore(DRAWN_AT_ONCE, 1 / DRAWN_AT_ONCE, {
    length: MAX_WAITING,
    patience: PATIENCE_MS,
    createError: (reason) =>
      reason === "full"
        ? unavailable("crowded")
        : new Error(`a drawing waited longer than ${PATIENCE_MS} ms for others`),
  });

  function drawn(organizationId: string, key: string, draw: () => Promise<Uint8Array | null>) {
    const inTime = () => turns.run(organizationId, () => withDeadline(draw));
    const make = async () => {
      try {
        return await inTime();
      } catch (error) {
        if (isLoyaltyError(error)) throw error;
        onError(error);
        return null;
      }
    };
    return memory.get(key, make, organizationId);
  }

  return {
    strip: (organizationId, state, scale, pictures) =>
      drawn(organizationId, `${scale} ${formatDrawingKey(state)}`, () =>
        drawer.strip(state, scale, pictures),
      ),
    hero: (organizationId, state, pictures) =>
      drawn(organizationId, `hero ${formatDrawingKey(state)}`, () => drawer.hero(state, pictures)),
  };
}

/** @throws what `draw` throws; when it takes too long: what it does then is lost. */
function withDeadline<T>(draw: () => Promise<T>): Promise<T> {
  return withTimeout(DEADLINE_MS, draw(), `a drawing took longer than ${DEADLINE_MS} ms`);
}

function formatDrawingKey({ look, filled, total }: CardState): string {
  return JSON.stringify([filled, total, look]);
}
