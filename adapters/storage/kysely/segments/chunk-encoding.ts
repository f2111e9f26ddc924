import {
  CHUNK_BYTES,
  CHUNK_SIZE,
  type Chunk,
  chunkFromBytes,
  chunkToBytes,
} from "../../../../src/storage/bitmap.js";

/*
 * A row stores a chunk's bytes. Deltas of two bytes each may precede them: the indexes, within the chunk, of bits that have changed
 * since, newest first. A bit that is flipped twice is unchanged. The Postgres log records everything between the first and the last
 * byte that an update changes, and a version comes right before this column. With deltas, this is a few bytes instead of half the
 * chunk.
 */

const FLIP_BYTES = 2;

/** Returns the maximum size, in bytes, of a stored chunk with this many deltas. */
export function maxBytesWith(flips: number): number {
  return CHUNK_BYTES + flips * FLIP_BYTES;
}

export function countDeltas(bytes: Uint8Array): number {
  return (bytes.byteLength - CHUNK_BYTES) / FLIP_BYTES;
}

/** Decodes a stored chunk, applying its deltas. */
export function storedChunk(bytes: Uint8Array): Chunk {
  const end = bytes.byteLength - CHUNK_BYTES;
  const chunk = chunkFromBytes(bytes.subarray(end));
  const view = new DataView(bytes.buffer, bytes.byteOffset, end);
  for (let at = 0; at < end; at += FLIP_BYTES) {
    const place = view.getUint16(at, true);
    const word = place >>> 5;
    chunk[word] = (chunk[word] ?? 0) ^ (1 << (place & 31));
  }
  return chunk;
}

/** Applies a stored chunk's deltas and returns its bytes without them. */
export function withoutDeltas(bytes: Uint8Array): Uint8Array {
  return countDeltas(bytes) === 0 ? bytes : chunkToBytes(storedChunk(bytes));
}

/** Encodes the differences between two chunks as deltas. Returns `null` if there are more than `most` differences. */
export function deltasBetween(before: Chunk, after: Chunk, most: number): Uint8Array | null {
  const places: number[] = [];
  for (let word = 0; word < CHUNK_SIZE / 32; word += 1) {
    let difference = (before[word] ?? 0) ^ (after[word] ?? 0);
    for (; difference !== 0; difference &= difference - 1) {
      if (places.length === most) return null;
      places.push(word * 32 + 31 - Math.clz32(difference & -difference));
    }
  }
  const flips = new Uint8Array(places.length * FLIP_BYTES);
  const view = new DataView(flips.buffer);
  for (const [at, place] of places.entries()) view.setUint16(at * FLIP_BYTES, place, true);
  return flips;
}
