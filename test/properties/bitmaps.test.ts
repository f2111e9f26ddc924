import fc from "fast-check";
import type { TagFilter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { someUser } from "../../adapters/testing/storage-suite/kit/records.js";
import { runSync } from "../../src/base/concurrency/event-loop.js";
import { CustomerFacts } from "../../src/segments/customer-facts.js";
import { isMember } from "../../src/segments/customer-membership.js";
import { evaluate, evaluateToSet } from "../../src/segments/evaluate.js";
import {
  Bitmap,
  CHUNK_SIZE,
  type Chunk,
  chunkFromBytes,
  chunkToBytes,
  clearBit,
  countBits,
  emptyChunk,
  hasBit,
  intersect,
  setBit,
  subtract,
  unite,
} from "../../src/storage/bitmap.js";
import { arbitraryTagFilters, ordinals } from "./arbitraries.js";
import { matchesFilter } from "./oracle.js";
import { runs } from "./runs.js";

const sets = fc.uniqueArray(ordinals, { maxLength: 300 });
const sortAscending = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);

describe("a bitmap", () => {
  it("holds the ordinals it was created from, and no others", () => {
    fc.assert(
      fc.property(sets, fc.array(ordinals), (members, others) => {
        const bitmap = Bitmap.of(members);
        expect(bitmap.count()).toBe(members.length);
        expect(bitmap.slice(0, Number.MAX_SAFE_INTEGER)).toEqual(sortAscending(members));
        for (const ordinal of [...members, ...others]) {
          expect(bitmap.has(ordinal)).toBe(members.includes(ordinal));
        }
      }),
      runs(150),
    );
  });

  it("slices like a sorted list", () => {
    const bounds = fc.oneof(fc.nat({ max: 310 }), fc.constantFrom(Number.MAX_SAFE_INTEGER));
    fc.assert(
      fc.property(sets, bounds, bounds, (members, offset, limit) => {
        const sorted = sortAscending(members);
        expect(Bitmap.of(members).slice(offset, limit)).toEqual(sorted.slice(offset).slice(0, limit));
      }),
      runs(300),
    );
  });

  it("reads from any ordinal on like a sorted list", () => {
    const limits = fc.oneof(fc.nat({ max: 310 }), fc.constantFrom(Number.MAX_SAFE_INTEGER));
    fc.assert(
      fc.property(sets, ordinals, limits, (members, from, limit) => {
        const expected = sortAscending(members).filter((ordinal) => ordinal >= from);
        expect(Bitmap.of(members).from(from, limit)).toEqual(expected.slice(0, limit));
      }),
      runs(300),
    );
  });

  it("intersects, unites, subtracts and changes like a set, and stays unchanged itself", () => {
    const listOrdinals = (bitmap: Bitmap) => bitmap.slice(0, Number.MAX_SAFE_INTEGER);
    fc.assert(
      fc.property(sets, sets, (left, right) => {
        const [a, b] = [Bitmap.of(left), Bitmap.of(right)];
        const [inA, inB] = [new Set(left), new Set(right)];
        const both = sortAscending(left.filter((ordinal) => inB.has(ordinal)));
        expect(listOrdinals(a.and(b))).toEqual(both);
        expect(a.and(b).count()).toBe(both.length);
        expect(listOrdinals(a.or(b))).toEqual(sortAscending(new Set([...left, ...right])));
        expect(listOrdinals(a.without(b))).toEqual(
          sortAscending(left.filter((ordinal) => !inB.has(ordinal))),
        );
        expect(listOrdinals(b.without(a))).toEqual(
          sortAscending(right.filter((ordinal) => !inA.has(ordinal))),
        );
        const changedBitmap = a.with(new Map(b.chunk(1) ? [[1, b.chunk(1) ?? emptyChunk()]] : []));
        const isSecond = (ordinal: number) => Math.floor(ordinal / CHUNK_SIZE) === 1;
        expect(listOrdinals(changedBitmap)).toEqual(
          b.chunk(1)
            ? sortAscending([...left.filter((each) => !isSecond(each)), ...right.filter(isSecond)])
            : sortAscending(left),
        );
        for (const [bitmap, members] of [[a, left] as const, [b, right] as const]) {
          expect(listOrdinals(bitmap)).toEqual(sortAscending(members));
          expect(bitmap.end).toBe(Math.max(-1, ...members) + 1);
        }
      }),
      runs(150),
    );
  });

  it("holds all ordinals of several full chunks", () => {
    const all = Array.from({ length: 2 * CHUNK_SIZE + 31 }, (_, ordinal) => ordinal);
    const bitmap = Bitmap.of(all);
    expect(bitmap.count()).toBe(all.length);
    for (const offset of [0, 1, CHUNK_SIZE - 1, CHUNK_SIZE, CHUNK_SIZE + 1, 2 * CHUNK_SIZE, all.length]) {
      expect(bitmap.slice(offset, 40)).toEqual(all.slice(offset, offset + 40));
    }
  });
});

describe("a chunk", () => {
  const members = fc.uniqueArray(fc.nat({ max: CHUNK_SIZE - 1 }), { maxLength: 200 });
  const all = Array.from({ length: CHUNK_SIZE }, (_, at) => at);
  const dense = members.map((holes) => {
    const missing = new Set(holes);
    return all.filter((ordinal) => !missing.has(ordinal));
  });
  const chunks = fc.oneof(members, dense);
  const createChunk = (ordinals: readonly number[]): Chunk => {
    const chunk = emptyChunk();
    for (const ordinal of ordinals) setBit(chunk, ordinal);
    return chunk;
  };
  const listMembers = (chunk: Chunk) => all.filter((ordinal) => hasBit(chunk, ordinal));

  it("can be read back from its bytes, at any offset of a buffer", () => {
    fc.assert(
      fc.property(chunks, fc.nat({ max: 9 }), (ordinals, offset) => {
        const bytes = chunkToBytes(createChunk(ordinals));
        expect(bytes).toHaveLength(CHUNK_SIZE / 8);
        const buffer = new Uint8Array(offset + bytes.length + 3).fill(255);
        buffer.set(bytes, offset);
        expect(chunkFromBytes(buffer.subarray(offset, offset + bytes.length))).toEqual(createChunk(ordinals));
      }),
      runs(40),
    );
  });

  it("counts, intersects, unites and subtracts like a set", () => {
    fc.assert(
      fc.property(chunks, chunks, (left, right) => {
        const [a, b] = [new Set(left), new Set(right)];
        const target = emptyChunk().fill(0xffff_ffff);
        expect(countBits(createChunk(left))).toBe(a.size);
        intersect(target, createChunk(left), createChunk(right));
        expect(listMembers(target)).toEqual(sortAscending(left.filter((ordinal) => b.has(ordinal))));
        unite(target, createChunk(left), createChunk(right));
        expect(listMembers(target)).toEqual(sortAscending(new Set([...left, ...right])));
        subtract(target, createChunk(left), createChunk(right));
        expect(listMembers(target)).toEqual(sortAscending(left.filter((ordinal) => !b.has(ordinal))));
      }),
      runs(30),
    );
  });

  it("loses its cleared bits", () => {
    fc.assert(
      fc.property(chunks, members, (ordinals, cleared) => {
        const chunk = createChunk(ordinals);
        for (const ordinal of cleared) clearBit(chunk, ordinal);
        expect(listMembers(chunk)).toEqual(
          ordinals.filter((each) => !cleared.includes(each)).sort((a, b) => a - b),
        );
      }),
      runs(30),
    );
  });
});

describe("a filter over bitmaps", () => {
  const slugs = ["a", "b", "c"];
  const filters = arbitraryTagFilters([...slugs, "unknown"]);

  it("finds the users of the naive rule, as a page, as a set, and one by one, over several chunks", () => {
    const taggings = fc.array(fc.tuple(ordinals, fc.subarray(slugs)), { maxLength: 200 });
    const bounds = fc.nat({ max: 100 });
    fc.assert(
      fc.property(taggings, filters, bounds, bounds, (rows, filter, offset, limit) => {
        const users = new Map(rows);
        const listMatches = (tagFilter: TagFilter) =>
          sortAscending(
            [...users].flatMap(([user, tags]) => (matchesFilter(new Set(tags), tagFilter) ? [user] : [])),
          );
        const createTagBitmap = (slug: string) =>
          Bitmap.of(listMatches({ operator: "AND", conditions: [{ slug }] }));
        const sets = {
          users: Bitmap.of(users.keys()),
          tags: new Map(slugs.map((slug) => [slug, createTagBitmap(slug)])),
        };
        const expected = listMatches(filter);
        expect(runSync(evaluate(filter, sets, offset, limit))).toEqual({
          total: expected.length,
          ordinals: expected.slice(offset, offset + limit),
        });
        const set = runSync(evaluateToSet(filter, sets));
        expect(set.slice(0, users.size)).toEqual(expected);
        expect(set.count()).toBe(expected.length);
        const plan = { filter, tags: new Map(slugs.map((slug) => [slug, slug])), tests: new Map() };
        const alone = [...users].filter(([ordinal, tags]) => {
          const assigned = new Map(tags.map((slug) => [slug, 0]));
          return isMember(plan, new CustomerFacts(someUser({ ordinal }), assigned, [], null));
        });
        expect(sortAscending(alone.map(([ordinal]) => ordinal))).toEqual(expected);
        for (const slug of slugs) expect(sets.tags.get(slug)).toEqual(createTagBitmap(slug));
      }),
      runs(150),
    );
  });

  it("may have the maximum number of levels of a filter", () => {
    let nested: TagFilter = { operator: "AND", conditions: [{ slug: "a" }] };
    for (let level = 1; level < 32; level += 1)
      nested = { operator: level % 2 === 0 ? "AND" : "NOT", filters: [nested] };
    const sets = { users: Bitmap.of([0, 1, 2]), tags: new Map([["a", Bitmap.of([1])]]) };
    expect(runSync(evaluate(nested, sets, 0, 5))).toEqual({ total: 1, ordinals: [1] });
  });
});
