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

const DELTA_BYTES = 2;

/** Returns the maximum size, in bytes, of a stored chunk with this many deltas. */
export function computeMaxBytes(deltas: number): number {
  return CHUNK_BYTES + deltas * DELTA_BYTES;
}

export function countDeltas(bytes: Uint8Array): number {
  return (bytes.byteLength - CHUNK_BYTES) / DELTA_BYTES;
}

/** Decodes a stored chunk, applying its deltas. */
export function decodeChunk(bytes: Uint8Array): Chunk {
  const end = bytes.byteLength - CHUNK_BYTES;
  const chunk = chunkFromBytes(bytes.subarray(end));
  const view = new DataView(bytes.buffer, bytes.byteOffset, end);
  for (let at = 0; at < end; at += DELTA_BYTES) {
    const bitIndex = view.getUint16(at, true);
    const word = bitIndex >>> 5;
    chunk[word] = (chunk[word] ?? 0) ^ (1 << (bitIndex & 31));
  }
  return chunk;
}

/** Applies a stored chunk's deltas and returns its bytes without them. */
export function applyDeltas(bytes: Uint8Array): Uint8Array {
  return countDeltas(bytes) === 0 ? bytes : chunkToBytes(decodeChunk(bytes));
}

/** Encodes the differences between two chunks as deltas. Returns `null` if there are more than `maxDeltas` differences. */
export function encodeDeltas(before: Chunk, after: Chunk, maxDeltas: number): Uint8Array | null {
  const bitIndexes: number[] = [];
  for (let word = 0; word < CHUNK_SIZE / 32; word += 1) {
    let difference = (before[word] ?? 0) ^ (after[word] ?? 0);
    for (; difference !== 0; difference &= difference - 1) {
      if (bitIndexes.length === maxDeltas) return null;
      bitIndexes.push(word * 32 + 31 - Math.clz32(difference & -difference));
    }
  }
  const deltas = new Uint8Array(bitIndexes.length * DELTA_BYTES);
  const view = new DataView(deltas.buffer);
  for (const [at, bitIndex] of bitIndexes.entries()) view.setUint16(at * DELTA_BYTES, bitIndex, true);
  return deltas;
}
