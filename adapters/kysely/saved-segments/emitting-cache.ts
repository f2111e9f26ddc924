import type {
  EmittingSegments,
  StoredSegment,
  StoredSegmentMark,
} from "../../../src/storage/saved-segments.js";

/** The bytes of texts that are kept. */
const LIMIT = 16 * 1024 * 1024;

interface Kept {
  readonly segments: EmittingSegments;
  readonly bytes: number;
}

/**
 * Keeps the segments of the organizations that were asked for last, where one of them emits events, by the name of their state. No
 * two states have one name, so an entry is never wrong.
 */
export class EmittingCache {
  readonly #states = new Map<string, Kept>();
  #bytes = 0;
  #newest: string | null = null;

  get(state: string): EmittingSegments | undefined {
    const kept = this.#states.get(state);
    if (kept === undefined) return undefined;
    // A map keeps the order of insertion, so the first key is always the one longest not asked for.
    if (state !== this.#newest) {
      this.#states.delete(state);
      this.#states.set(state, kept);
      this.#newest = state;
    }
    return kept.segments;
  }

  /** @param all the segments of the state, oldest first. */
  put(state: string, all: readonly StoredSegment[], mark: StoredSegmentMark | null): EmittingSegments {
    const frozen = Object.freeze(all.map((segment) => Object.freeze(segment)));
    const emitting = Object.freeze(frozen.filter(({ emitsEvents }) => emitsEvents));
    const segments = Object.freeze({ emitting, all: frozen, mark: Object.freeze(mark) });
    const bytes = all.reduce((sum, { filter }) => sum + 1_000 + 2 * filter.length, 0);
    this.#states.set(state, { segments, bytes });
    this.#newest = state;
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#states) {
      if (this.#bytes <= LIMIT) break;
      this.#states.delete(oldest);
      this.#bytes -= freed;
    }
    return segments;
  }
}
