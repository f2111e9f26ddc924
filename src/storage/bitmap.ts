/**
 * Number of ordinals per chunk. Chunks are small because each assignment rewrites one. Two chunks of 1,920 bytes fit in a 4 KiB
 * database page.
 */
export const CHUNK_SIZE = 15_360;

/** Size of a stored chunk in bytes. Changing it requires a migration. */
export const CHUNK_BYTES = CHUNK_SIZE / 8;

const WORDS = CHUNK_SIZE / 32;

/**
 * The bits for {@link CHUNK_SIZE} consecutive ordinals. The lowest ordinal is the lowest bit of the first word. A chunk must not be
 * modified once it is shared.
 */
export type Chunk = Uint32Array;

/**
 * An immutable set of user ordinals, which are integers starting at 0. The set is divided into chunks. To save memory, empty chunks
 * aren't stored.
 * @example
 * import { Bitmap } from "loyalty-kit/storage";
 *
 * const vips = Bitmap.of([1, 4, 7]); // the ordinals of three customers
 * console.log(vips.has(4), vips.count());
 */
export class Bitmap {
  static readonly empty = new Bitmap([]);

  constructor(private readonly chunks: readonly (Chunk | undefined)[]) {}

  static of(ordinals: Iterable<number>): Bitmap {
    const chunks: Chunk[] = [];
    for (const ordinal of ordinals) {
      const at = chunkOf(ordinal);
      let chunk = chunks[at];
      if (chunk === undefined) {
        chunk = emptyChunk();
        chunks[at] = chunk;
      }
      setBit(chunk, ordinal);
    }
    return new Bitmap(chunks);
  }

  /** One more than the index of the last non-empty chunk, or 0 for an empty set. */
  get length(): number {
    return this.chunks.length;
  }

  /** One more than the highest ordinal, or 0 for an empty set. */
  get end(): number {
    for (let at = this.chunks.length - 1; at >= 0; at -= 1) {
      const chunk = this.chunks[at];
      const word = chunk?.findLastIndex((bits) => bits !== 0) ?? -1;
      if (chunk !== undefined && word >= 0) {
        return at * CHUNK_SIZE + word * 32 + 32 - Math.clz32(readWord(chunk, word));
      }
    }
    return 0;
  }

  /**
   * Returns the chunk at index `at`, or `undefined` if that chunk is empty. The chunk's first ordinal is `at` times {@link
   * CHUNK_SIZE}.
   */
  chunk(at: number): Chunk | undefined {
    return this.chunks[at];
  }

  /** Returns whether the set contains this ordinal. */
  has(ordinal: number): boolean {
    const chunk = this.chunks[chunkOf(ordinal)];
    return chunk !== undefined && hasBit(chunk, ordinal);
  }

  /** Returns the number of ordinals in the set. */
  count(): number {
    let total = 0;
    for (const chunk of this.chunks) if (chunk !== undefined) total += countBits(chunk);
    return total;
  }

  /** Returns up to `limit` ordinals that are at least `from`, in ascending order. */
  from(from: number, limit: number): number[] {
    const ordinals: number[] = [];
    for (let at = chunkOf(from); at < this.chunks.length && ordinals.length < limit; at += 1) {
      const chunk = this.chunks[at];
      if (chunk !== undefined) collectBitsFrom(chunk, at, from, limit, ordinals);
    }
    return ordinals;
  }

  /**
   * Returns a copy of the set with some chunks replaced.
   * @param chunks the new chunks, keyed by index.
   */
  with(chunks: ReadonlyMap<number, Chunk>): Bitmap {
    const newChunks = [...this.chunks];
    for (const [at, chunk] of chunks) newChunks[at] = chunk;
    return new Bitmap(newChunks);
  }

  /** Returns the ordinals that are in both sets. */
  and(other: Bitmap): Bitmap {
    return new Bitmap(
      this.chunks.map((chunk, at) => {
        const otherChunk = other.chunk(at);
        if (chunk === undefined || otherChunk === undefined) return undefined;
        if (isWithin(chunk, otherChunk)) return chunk;
        const intersection = emptyChunk();
        intersect(intersection, chunk, otherChunk);
        return intersection;
      }),
    );
  }

  /** Returns the ordinals of this set that are not in the other set. */
  without(other: Bitmap): Bitmap {
    return new Bitmap(
      this.chunks.map((chunk, at) => {
        const otherChunk = other.chunk(at);
        if (chunk === undefined || otherChunk === undefined) return chunk;
        const difference = emptyChunk();
        subtract(difference, chunk, otherChunk);
        return difference;
      }),
    );
  }

  /** Returns the ordinals that are in either set. */
  or(other: Bitmap): Bitmap {
    const indexes = Array.from({ length: Math.max(this.length, other.length) }, (_, at) => at);
    return new Bitmap(
      indexes.map((at) => {
        const [chunk, otherChunk] = [this.chunks[at], other.chunk(at)];
        if (chunk === undefined || otherChunk === undefined) return chunk ?? otherChunk;
        const all = emptyChunk();
        unite(all, chunk, otherChunk);
        return all;
      }),
    );
  }

  /** Skips the first `offset` ordinals of the set and returns up to `limit` of the remaining ones, in ascending order. */
  slice(offset: number, limit: number): number[] {
    const ordinals: number[] = [];
    let skip = offset;
    for (const [at, chunk] of this.chunks.entries()) {
      if (ordinals.length >= limit) break;
      if (chunk === undefined) continue;
      const bits = skip > 0 ? countBits(chunk) : 0;
      if (skip > 0 && bits <= skip) skip -= bits;
      else {
        collectBits(chunk, at, skip, limit, ordinals);
        skip = 0;
      }
    }
    return ordinals;
  }
}

export function chunkOf(ordinal: number): number {
  return Math.floor(ordinal / CHUNK_SIZE);
}

export function emptyChunk(): Chunk {
  return new Uint32Array(WORDS);
}

export function hasBit(chunk: Chunk, ordinal: number): boolean {
  const bit = ordinal % CHUNK_SIZE;
  return ((readWord(chunk, bit >>> 5) >>> (bit & 31)) & 1) === 1;
}

export function setBit(chunk: Chunk, ordinal: number): void {
  const bit = ordinal % CHUNK_SIZE;
  chunk[bit >>> 5] = readWord(chunk, bit >>> 5) | (1 << (bit & 31));
}

export function clearBit(chunk: Chunk, ordinal: number): void {
  const bit = ordinal % CHUNK_SIZE;
  chunk[bit >>> 5] = readWord(chunk, bit >>> 5) & ~(1 << (bit & 31));
}

/** Returns whether all ordinals of a chunk are also in another chunk. */
function isWithin(chunk: Chunk, other: Chunk): boolean {
  for (let at = 0; at < WORDS; at += 1) if ((readWord(chunk, at) & ~readWord(other, at)) !== 0) return false;
  return true;
}

/** Writes the intersection of `a` and `b` to `target`, which can be the same chunk as `a` or `b`. */
export function intersect(target: Chunk, a: Chunk, b: Chunk): void {
  for (let at = 0; at < WORDS; at += 1) target[at] = readWord(a, at) & readWord(b, at);
}

/** Writes the union of `a` and `b` to `target`, which can be the same chunk as `a` or `b`. */
export function unite(target: Chunk, a: Chunk, b: Chunk): void {
  for (let at = 0; at < WORDS; at += 1) target[at] = readWord(a, at) | readWord(b, at);
}

/** Writes the ordinals that are in `a` but not in `b` to `target`, which can be the same chunk as `a` or `b`. */
export function subtract(target: Chunk, a: Chunk, b: Chunk): void {
  for (let at = 0; at < WORDS; at += 1) target[at] = readWord(a, at) & ~readWord(b, at);
}

/**
 * Counts the set bits in a chunk. Uses three levels of carry-save adders (the Harley-Seal algorithm), which need only one
 * population count per eight words. This halves the time it takes to count a million users.
 */
export function countBits(chunk: Chunk): number {
  let eights = 0;
  let fours = 0;
  let twos = 0;
  let ones = 0;
  for (let at = 0; at < WORDS; at += 8) {
    let a = readWord(chunk, at);
    let b = readWord(chunk, at + 1);
    const twosA = computeMajority(ones, a, b);
    ones ^= a ^ b;
    a = readWord(chunk, at + 2);
    b = readWord(chunk, at + 3);
    const twosB = computeMajority(ones, a, b);
    ones ^= a ^ b;
    a = readWord(chunk, at + 4);
    b = readWord(chunk, at + 5);
    const twosC = computeMajority(ones, a, b);
    ones ^= a ^ b;
    a = readWord(chunk, at + 6);
    b = readWord(chunk, at + 7);
    const twosD = computeMajority(ones, a, b);
    ones ^= a ^ b;
    const foursA = computeMajority(twos, twosA, twosB);
    twos ^= twosA ^ twosB;
    const foursB = computeMajority(twos, twosC, twosD);
    twos ^= twosC ^ twosD;
    eights += popcount(computeMajority(fours, foursA, foursB));
    fours ^= foursA ^ foursB;
  }
  return eights * 8 + popcount(fours) * 4 + popcount(twos) * 2 + popcount(ones);
}

/**
 * Skips a chunk's first `skip` ordinals and appends the rest to `found`, until `found` holds `limit` ordinals.
 * @param chunkIndex the chunk's index.
 */
export function collectBits(
  chunk: Chunk,
  chunkIndex: number,
  skip: number,
  limit: number,
  ordinals: number[],
): void {
  let toSkip = skip;
  for (let at = 0; at < WORDS && ordinals.length < limit; at += 1) {
    for (let word = readWord(chunk, at); word !== 0 && ordinals.length < limit; word &= word - 1) {
      if (toSkip > 0) toSkip -= 1;
      else ordinals.push(chunkIndex * CHUNK_SIZE + at * 32 + (31 - Math.clz32(word & -word)));
    }
  }
}

/**
 * Appends to `found` the chunk's ordinals that are at least `from`, until `found` holds `limit` ordinals.
 * @param chunkIndex the chunk's index.
 */
export function collectBitsFrom(
  chunk: Chunk,
  chunkIndex: number,
  from: number,
  limit: number,
  ordinals: number[],
): void {
  const begin = Math.max(0, from - chunkIndex * CHUNK_SIZE);
  for (let at = begin >>> 5; at < WORDS && ordinals.length < limit; at += 1) {
    const isFirst = at === begin >>> 5;
    for (
      let word = readWord(chunk, at) & (isFirst ? -1 << (begin & 31) : -1);
      word !== 0 && ordinals.length < limit;
      word &= word - 1
    ) {
      ordinals.push(chunkIndex * CHUNK_SIZE + at * 32 + (31 - Math.clz32(word & -word)));
    }
  }
}

/** Serializes a chunk to {@link CHUNK_BYTES} bytes, as little-endian words. */
export function chunkToBytes(chunk: Chunk): Uint8Array {
  const bytes = new Uint8Array(CHUNK_BYTES);
  const dataView = new DataView(bytes.buffer);
  for (let at = 0; at < WORDS; at += 1) dataView.setUint32(at * 4, readWord(chunk, at), true);
  return bytes;
}

export function chunkFromBytes(bytes: Uint8Array): Chunk {
  const chunk = emptyChunk();
  const dataView = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < WORDS; at += 1) chunk[at] = dataView.getUint32(at * 4, true);
  return chunk;
}

function readWord(chunk: Chunk, at: number): number {
  return chunk[at] ?? 0;
}

/** Returns the carry bits of adding three bits, for all 32 bits of a word in parallel. */
function computeMajority(a: number, b: number, c: number): number {
  return (a & b) | ((a ^ b) & c);
}

function popcount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
