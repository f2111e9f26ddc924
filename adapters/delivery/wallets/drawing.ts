import { FairSemaphore } from "../../../src/base/concurrency/fair-semaphore.js";
import { withTimeout } from "../../../src/base/concurrency/timeout.js";
import { isLoyaltyError, unavailable } from "../../../src/base/errors.js";
import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { CardLook } from "./card-look.js";
import { type FindPicture, LruCache } from "./picture-cache.js";

export interface CardState {
  /** The stamps' shape, colors, and pictures. */
  readonly look: CardLook;
  /** Number of stamps collected so far, from 0 to `total`. */
  readonly filled: number;
  /** The number of stamps that fill the card, from 1 to 100. */
  readonly total: number;
}

export type Scale = 1 | 2 | 3;

/**
 * Renders a card's stamps as a PNG image. If an image can't be rendered, the methods resolve to `null` and the card is delivered
 * without it.
 */
export interface StampRenderer {
  /** Renders the strip image for Apple Wallet (375 by 144 points). Some phones crop about 10 points from the top and bottom. */
  strip(state: CardState, scale: Scale, pictures: FindPicture): Promise<Uint8Array | null>;
  /** Renders the hero image for Google Wallet (1,032 by 336 pixels). */
  hero(state: CardState, pictures: FindPicture): Promise<Uint8Array | null>;
}

/** Maximum size of cached drawings in bytes. */
const MAX_BYTES = 33_554_432;

/** Maximum number of concurrent drawings. An organization has at most one of them. */
const MAX_CONCURRENT_DRAWINGS = 2;

/** Maximum number of an organization's drawings that wait, and how long each waits, in milliseconds. */
const MAX_WAITING = 200;
const MAX_WAIT_MS = 10_000;

/**
 * Timeout for one drawing, in milliseconds. It is longer than the rasterizer's timeouts for the drawing and for each of its
 * pictures.
 */
const DRAWING_TIMEOUT_MS = 25_000;

/** Draws stamps, sharing the drawing capacity fairly among organizations. */
export interface Drawings {
  /** Draws a strip image for one of the organization's cards. See {@link StampRenderer.strip}. */
  strip(
    organizationId: string,
    state: CardState,
    scale: Scale,
    pictures: FindPicture,
  ): Promise<Uint8Array | null>;
  /** Draws a hero image for one of the organization's cards. See {@link StampRenderer.hero}. */
  hero(organizationId: string, state: CardState, pictures: FindPicture): Promise<Uint8Array | null>;
}

/**
 * Wraps a renderer with a cache of up to 32 MiB of drawings. At most two drawings run at a time, always for different
 * organizations. If a drawing fails, waits more than 10 seconds, or runs for more than 25 seconds, the error is reported and the
 * card is delivered without the drawing.
 * @param renderer the renderer to wrap.
 * @param onError a callback that receives the error when a drawing fails.
 * @returns the wrapped renderer. Its methods throw `storage_unavailable` if 200 of the organization's drawings are already waiting.
 */
export function createDrawingCache(renderer: StampRenderer, onError: ErrorListener): Drawings {
  const cache = new LruCache<Uint8Array>(MAX_BYTES, ({ byteLength }) => byteLength);
  const semaphore = new FairSemaphore(MAX_CONCURRENT_DRAWINGS, 1 / MAX_CONCURRENT_DRAWINGS, {
    length: MAX_WAITING,
    patience: MAX_WAIT_MS,
    createError: (reason) =>
      reason === "full"
        ? unavailable("crowded")
        : new Error(`a drawing waited longer than ${MAX_WAIT_MS} ms for others`),
  });

  function getOrDraw(organizationId: string, key: string, draw: () => Promise<Uint8Array | null>) {
    const drawWithTimeout = () => semaphore.run(organizationId, () => withDeadline(draw));
    const drawOrReport = async () => {
      try {
        return await drawWithTimeout();
      } catch (error) {
        if (isLoyaltyError(error)) throw error;
        onError(error);
        return null;
      }
    };
    return cache.get(key, drawOrReport, organizationId);
  }

  return {
    strip: (organizationId, state, scale, pictures) =>
      getOrDraw(organizationId, `${scale} ${formatDrawingKey(state)}`, () =>
        renderer.strip(state, scale, pictures),
      ),
    hero: (organizationId, state, pictures) =>
      getOrDraw(organizationId, `hero ${formatDrawingKey(state)}`, () => renderer.hero(state, pictures)),
  };
}

/**
 * Limits the time for a drawing. A result after the deadline is discarded.
 * @throws any error from `draw`, and an error if it takes too long.
 */
function withDeadline<T>(draw: () => Promise<T>): Promise<T> {
  return withTimeout(DRAWING_TIMEOUT_MS, draw(), `a drawing took longer than ${DRAWING_TIMEOUT_MS} ms`);
}

function formatDrawingKey({ look, filled, total }: CardState): string {
  return JSON.stringify([filled, total, look]);
}
