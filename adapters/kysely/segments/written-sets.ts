import type { Chunk } from "../../../src/storage/bitmap.js";

/** A transaction's change to a set: its versions before and after, and the chunks that differ. */
export interface SetChange {
  readonly organizationId: string;
  readonly setId: number;
  readonly before: number;
  readonly version: number;
  readonly chunks: ReadonlyMap<number, Chunk>;
}

/** The most chunks that are remembered: those of a larger transaction are read again when needed. */
const MOST_CHUNKS = 1_000;

/** The sets that a transaction has written, to be told of when it is committed. */
export class WrittenSets {
  readonly #changes = new Map<string, SetChange>();
  #chunks = 0;

  /** @param chunks must not be changed any more. */
  add(organizationId: string, setId: number, version: number, chunks: ReadonlyMap<number, Chunk>): void {
    this.#chunks += chunks.size;
    if (this.#chunks > MOST_CHUNKS) {
      this.#changes.clear();
      return;
    }
    const key = `${setId} ${organizationId}`;
    const earlier = this.#changes.get(key);
    const before = version - 1;
    // Something else than what was told here may have changed the set in between.
    const change =
      earlier?.version === before
        ? { before: earlier.before, chunks: new Map([...earlier.chunks, ...chunks]) }
        : { before, chunks };
    this.#changes.set(key, { organizationId, setId, version, ...change });
  }

  [Symbol.iterator](): Iterator<SetChange> {
    return this.#changes.values();
  }
}
