import {
  Bitmap,
  CHUNK_SIZE,
  type Chunk,
  chunkOf,
  clearBit,
  emptyChunk,
  hasBit,
  setBit,
} from "../../../../src/storage/bitmap.js";

/**
 * A mutable set of ordinals that can be read as immutable bitmaps. The set shares chunks of bits with its bitmaps, and copies a
 * shared chunk before changing it.
 */
export class OrdinalSet {
  private readonly chunks: (Chunk | undefined)[] = [];
  /** Indexes of the chunks that no bitmap shares, which can be changed in place. */
  private readonly unsharedChunks = new Set<number>();
  private sharedBitmap: Bitmap | null = null;

  static of(ordinals: Iterable<number>): OrdinalSet {
    const set = new OrdinalSet();
    for (const ordinal of ordinals) set.add(ordinal);
    return set;
  }

  add(ordinal: number): void {
    setBit(this.getChunkToWrite(ordinal), ordinal);
  }

  delete(ordinal: number): void {
    if (this.has(ordinal)) clearBit(this.getChunkToWrite(ordinal), ordinal);
  }

  has(ordinal: number): boolean {
    const chunk = this.chunks[chunkOf(ordinal)];
    return chunk !== undefined && hasBit(chunk, ordinal);
  }

  /** Returns the set's current members as an immutable bitmap. */
  toBitmap(): Bitmap {
    if (this.sharedBitmap === null) {
      this.sharedBitmap = new Bitmap([...this.chunks]);
      this.unsharedChunks.clear();
    }
    return this.sharedBitmap;
  }

  /** Returns up to `limit` of the ordinals greater than `after`, in ascending order. */
  listAbove(after: number, limit: number): number[] {
    const first = after + 1;
    const at = chunkOf(first);
    const chunks = this.chunks.map((chunk, index) => (index < at ? undefined : chunk));
    const firstChunk = chunks[at]?.slice();
    if (firstChunk !== undefined) {
      for (let ordinal = at * CHUNK_SIZE; ordinal < first; ordinal += 1) clearBit(firstChunk, ordinal);
      chunks[at] = firstChunk;
    }
    return new Bitmap(chunks).slice(0, limit);
  }

  equals(other: OrdinalSet): boolean {
    const empty = emptyChunk();
    const length = Math.max(this.chunks.length, other.chunks.length);
    for (let at = 0; at < length; at += 1) {
      const [mine, theirs] = [this.chunks[at] ?? empty, other.chunks[at] ?? empty];
      if (mine.some((word, index) => word !== theirs[index])) return false;
    }
    return true;
  }

  hasAll(other: OrdinalSet): boolean {
    const empty = emptyChunk();
    return other.chunks.every((theirs, at) => {
      const mine = this.chunks[at] ?? empty;
      return theirs === undefined || theirs.every((word, index) => (word & ~(mine[index] ?? 0)) === 0);
    });
  }

  private getChunkToWrite(ordinal: number): Chunk {
    this.sharedBitmap = null;
    const at = chunkOf(ordinal);
    const chunk = this.chunks[at];
    if (chunk !== undefined && this.unsharedChunks.has(at)) return chunk;
    const copy = chunk?.slice() ?? emptyChunk();
    this.chunks[at] = copy;
    this.unsharedChunks.add(at);
    return copy;
  }
}
