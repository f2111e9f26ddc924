import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyDeltas,
  computeMaxBytes,
  countDeltas,
  decodeChunk,
  encodeDeltas,
} from "../../adapters/storage/kysely/segments/chunk-encoding.js";
import { CHUNK_SIZE, chunkToBytes, clearBit, emptyChunk, hasBit, setBit } from "../../src/storage/bitmap.js";
import { runs } from "../properties/runs.js";

const bit = fc.oneof(fc.nat(CHUNK_SIZE - 1), fc.constantFrom(0, 31, 32, CHUNK_SIZE - 1));
const bits = fc.array(bit, { maxLength: 40 });

function createChunk(ordinals: readonly number[]) {
  const chunk = emptyChunk();
  for (const ordinal of ordinals) setBit(chunk, ordinal);
  return chunk;
}

describe("a stored chunk", () => {
  it("is the result of all successive changes, including those that undo each other", () => {
    fc.assert(
      fc.property(bits, fc.array(bits, { maxLength: 6 }), (first, changes) => {
        let chunk = createChunk(first);
        let bytes: Uint8Array = chunkToBytes(chunk);
        let count = 0;
        for (const change of changes) {
          const after = chunk.slice();
          for (const each of change) (hasBit(after, each) ? clearBit : setBit)(after, each);
          const flips = encodeDeltas(chunk, after, CHUNK_SIZE);
          if (flips === null) throw new Error("there is room for all");
          bytes = Buffer.concat([flips, bytes]);
          count += flips.byteLength / (computeMaxBytes(1) - computeMaxBytes(0));
          expect(decodeChunk(bytes)).toEqual(after);
          expect(countDeltas(bytes)).toBe(count);
          chunk = after;
        }
        expect(applyDeltas(bytes)).toEqual(
          bytes.byteLength === computeMaxBytes(0) ? bytes : chunkToBytes(chunk),
        );
      }),
      runs(100),
    );
  });

  it("is written in full if a change has more deltas than allowed", () => {
    const [before, after] = [createChunk([1, 2]), createChunk([2, 3, 40])];
    expect(encodeDeltas(before, after, 2)).toBeNull();
    expect(encodeDeltas(before, after, 3)).toHaveLength(computeMaxBytes(3) - computeMaxBytes(0));
    expect(encodeDeltas(before, before, 0)).toHaveLength(0);
  });
});
