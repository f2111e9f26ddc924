import { putLatest } from "../latest-entries.js";
import { type FilterLoop, loopOf } from "./filter-loop.js";
import type { Shaped } from "./filter-shape.js";

/** A larger filter makes code that engines don't care to make fast. */
const MOST_OPERANDS = 24;

/**
 * Keeps the loops of the shapes that were asked for last. One takes longer to make than to do without once, so a shape
 * gets its own when it comes for the second time: filters of ever other shapes cost nothing but their place.
 */
export class FilterLoops {
  /** Null for a shape that was asked for once. */
  readonly #loops = new Map<string, FilterLoop | null>();

  /** @param limit how many shapes are kept. */
  constructor(private readonly limit: number) {}

  /** Null when there is none for it, or not yet. */
  find({ shape, key, slugs }: Shaped): FilterLoop | null {
    if (slugs.length > MOST_OPERANDS || key.length > MOST_OPERANDS * 8) return null;
    const known = this.#loops.get(key);
    const loop = known === null ? loopOf(shape, slugs.length + 1) : (known ?? null);
    putLatest(this.#loops, key, loop, this.limit);
    return loop;
  }
}
