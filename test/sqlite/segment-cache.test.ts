import { Bitmap } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { SegmentCache } from "../../adapters/storage/kysely/segments/segment-cache.js";
import { emptyChunk } from "../../src/storage/bitmap.js";

/** Room for three sets of one chunk, but not for four. */
const LIMIT = 10_000;

const createSet = (version: number) => ({ version, bitmap: Bitmap.of([version]) });

describe("the set cache", () => {
  it("returns a set only to its organization", () => {
    const cache = new SegmentCache(LIMIT);
    const set = createSet(1);
    cache.put("acme", 7, set);
    expect(cache.get("acme", 7)).toBe(set);
    expect(cache.get("acme", 8)).toBeUndefined();
    expect(cache.get("other", 7)).toBeUndefined();
  });

  it("retains the newest version, whichever is put last", () => {
    const cache = new SegmentCache(LIMIT);
    cache.put("acme", 7, createSet(2));
    cache.put("acme", 7, createSet(1));
    expect(cache.get("acme", 7)?.version).toBe(2);
    cache.put("acme", 7, createSet(3));
    expect(cache.get("acme", 7)?.version).toBe(3);
  });

  it("evicts the least recently read sets", () => {
    const cache = new SegmentCache(LIMIT);
    for (const setId of [1, 2, 3]) cache.put("acme", setId, createSet(1));
    cache.get("acme", 1);
    cache.put("acme", 4, createSet(1));
    const cachedIds = [1, 2, 3, 4].filter((setId) => cache.get("acme", setId) !== undefined);
    expect(cachedIds).toEqual([1, 3, 4]);
  });

  it("counts a replaced set only once", () => {
    const cache = new SegmentCache(LIMIT);
    for (const setId of [1, 2, 3]) cache.put("acme", setId, createSet(1));
    for (let version = 2; version < 50; version += 1) cache.put("acme", 2, createSet(version));
    expect([1, 2, 3].filter((setId) => cache.get("acme", setId) === undefined)).toEqual([]);
  });

  it("applies a committed change to the version that it follows, and ignores any other change", () => {
    const cache = new SegmentCache(LIMIT);
    const createChange = (before: number, version: number, ordinals: number[]) => ({
      organizationId: "acme",
      setId: 7,
      before,
      version,
      chunks: new Map([[0, Bitmap.of(ordinals).chunk(0) ?? emptyChunk()]]),
    });
    cache.applyChange(createChange(0, 1, [1]));
    expect(cache.get("acme", 7)).toBeUndefined();
    const set = createSet(1);
    cache.put("acme", 7, set);
    cache.applyChange(createChange(1, 2, [5]));
    expect(cache.get("acme", 7)?.version).toBe(2);
    expect(cache.get("acme", 7)?.bitmap.slice(0, 10)).toEqual([5]);
    expect(set.bitmap.slice(0, 10)).toEqual([1]);
    for (const missed of [createChange(3, 4, [9]), createChange(1, 3, [9])]) cache.applyChange(missed);
    expect(cache.get("acme", 7)?.bitmap.slice(0, 10)).toEqual([5]);
  });

  it("doesn't store a set that is too large, and evicts no others for it", () => {
    const cache = new SegmentCache(LIMIT);
    cache.put("acme", 1, createSet(1));
    const large = Bitmap.of(Array.from({ length: 5 }, (_, chunk) => chunk * 100_000));
    cache.put("acme", 2, { version: 1, bitmap: large });
    expect(cache.get("acme", 2)).toBeUndefined();
    expect(cache.get("acme", 1)).toBeDefined();
  });
});
