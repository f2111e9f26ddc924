import {
  Bitmap,
  CHUNK_BYTES,
  CHUNK_SIZE,
  type Chunk,
  chunkFromBytes,
  chunkToBytes,
} from "../../../../src/storage/bitmap.js";

/**
 * Number of ordinals in a slice. A chunk consists of a whole number of slices. Slices that cover the same users are stored
 * contiguously across all segments, so reading a single range of rows shows which segments a user is in.
 */
export const SLICE_SIZE = 1_024;

const SLICE_BYTES = SLICE_SIZE / 8;
const SLICES_OF_CHUNK = CHUNK_SIZE / SLICE_SIZE;

/**
 * The stored form of a slice: one bit for each of {@link SLICE_SIZE} consecutive ordinals. The lowest bit of the first byte
 * belongs to the first ordinal.
 */
export type Slice = Uint8Array;

/** A slice of a set, with its index (`slice`) and its bits (`ordinals`). */
export interface PlacedSlice {
  readonly slice: number;
  readonly ordinals: Slice;
}

export function sliceOf(ordinal: number): number {
  return Math.floor(ordinal / SLICE_SIZE);
}

export function emptySlice(): Slice {
  return new Uint8Array(SLICE_BYTES);
}

/** Decodes a stored slice. The result always has the full length. If a damaged row is too short, the missing bytes are 0. */
export function storedSlice(stored: Uint8Array): Slice {
  if (stored.byteLength === SLICE_BYTES) return stored;
  const slice = emptySlice();
  slice.set(stored.subarray(0, SLICE_BYTES));
  return slice;
}

export function isEmptySlice(slice: Slice): boolean {
  return slice.every((byte) => byte === 0);
}

export function hasMember(slice: Slice, ordinal: number): boolean {
  const bit = ordinal % SLICE_SIZE;
  return (byteAt(slice, bit >>> 3) & (1 << (bit & 7))) !== 0;
}

/** Adds a user to the slice, or removes the user if the slice already contains the user. */
export function flipMember(slice: Slice, ordinal: number): void {
  const bit = ordinal % SLICE_SIZE;
  slice[bit >>> 3] = byteAt(slice, bit >>> 3) ^ (1 << (bit & 7));
}

/** Yields all slices of a set that have at least one member. */
export function* listSlices(set: Bitmap): Generator<PlacedSlice> {
  for (let at = 0; at < set.length; at += 1) {
    const chunk = set.chunk(at);
    if (chunk === undefined) continue;
    const bytes = chunkToBytes(chunk);
    for (let nth = 0; nth < SLICES_OF_CHUNK; nth += 1) {
      const ordinals = bytes.subarray(nth * SLICE_BYTES, (nth + 1) * SLICE_BYTES);
      if (!isEmptySlice(ordinals)) yield { slice: at * SLICES_OF_CHUNK + nth, ordinals };
    }
  }
}

/** Builds a set from its slices. The slices can be in any order. */
export function buildSet(slices: Iterable<PlacedSlice>): Bitmap {
  const bytesOf = new Map<number, Uint8Array>();
  for (const { slice, ordinals } of slices) {
    const at = Math.floor(slice / SLICES_OF_CHUNK);
    const bytes = bytesOf.get(at) ?? new Uint8Array(CHUNK_BYTES);
    bytesOf.set(at, bytes);
    bytes.set(storedSlice(ordinals), (slice % SLICES_OF_CHUNK) * SLICE_BYTES);
  }
  const chunks: (Chunk | undefined)[] = [];
  for (const [at, bytes] of bytesOf) chunks[at] = chunkFromBytes(bytes);
  return new Bitmap(Array.from(chunks));
}

function byteAt(slice: Slice, at: number): number {
  return slice[at] ?? 0;
}
