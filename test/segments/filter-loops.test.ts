import assert from "node:assert/strict";
import fc from "fast-check";
import type { TagFilter } from "loyalty-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runStep } from "../../src/concurrency/step.js";
import { compileLoop, type FilterLoop, FilterLoops } from "../../src/segments/filter-loop.js";
import { shapeFilter } from "../../src/segments/filter-shape.js";
import { Bitmap, type Chunk, countBits, emptyChunk } from "../../src/storage/bitmap.js";
import { tagFilters } from "../properties/arbitraries.js";
import { isFound } from "../properties/oracle.js";
import { runs } from "../properties/runs.js";

const slugs = ["a", "b", "c", "d"];
const filter = (...names: string[]): TagFilter => ({
  operator: "AND",
  conditions: names.map((slug) => ({ slug })),
});

/** The loop of a shape, where there has to be one. */
function loopFor(...args: Parameters<typeof compileLoop>): FilterLoop {
  const loop = compileLoop(...args);
  assert(loop !== null);
  return loop;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe("the shape of a filter", () => {
  it("is that of each other filter that differs in its slugs alone", () => {
    expect(shapeFilter(filter("a", "b"))).toMatchObject({
      key: shapeFilter(filter("x", "y")).key,
      slugs: ["a", "b"],
    });
    expect(shapeFilter(filter("a", "a")).key).not.toBe(shapeFilter(filter("a", "b")).key);
    expect(shapeFilter({ operator: "OR", filters: [filter("a"), filter("b")] }).key).not.toBe(
      shapeFilter({ operator: "OR", filters: [filter("a", "b")] }).key,
    );
  });

  it("has nothing of the slugs, whatever they are", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }), (names) => {
        expect(shapeFilter(filter(...names)).key).toMatch(/^AND\([0-9,]+\)$/);
      }),
      runs(100),
    );
  });
});

describe("the loop of a filter", () => {
  it("counts and finds whom the naive rule finds, whichever operands have no bits at a place", () => {
    const users = fc.array(fc.subarray(slugs), { minLength: 1, maxLength: 70 });
    fc.assert(
      fc.property(tagFilters(slugs), users, (asked, all) => {
        const { shape, slugs: named } = shapeFilter(asked);
        const holders = named.map((slug) => all.flatMap((tags, user) => (tags.includes(slug) ? [user] : [])));
        const operands = [[...all.keys()], ...holders].map((ordinals) => Bitmap.of(ordinals).chunk(0));
        const loop = loopFor(shape, operands.length);
        const found = all.flatMap((tags, user) => (isFound(new Set(tags), asked) ? [user] : []));
        const target: Chunk = emptyChunk().fill(~0);
        loop.fill(operands, target);
        expect(loop.count(operands)).toBe(found.length);
        expect(countBits(target)).toBe(found.length);
        expect(new Bitmap([target]).slice(0, all.length)).toEqual(found);
      }),
      runs(200),
    );
  });
});

describe("the loops that are kept", () => {
  it("come with the second filter of a shape, and stay", () => {
    const loops = new FilterLoops(2);
    expect(loops.find(shapeFilter(filter("a", "b")))).toBeNull();
    const loop = loops.find(shapeFilter(filter("c", "d")));
    expect(loop).not.toBeNull();
    expect(loops.find(shapeFilter(filter("a", "b")))).toBe(loop);
  });

  it("are those of the shapes that were asked for last, and no more than there is room for", () => {
    const loops = new FilterLoops(2);
    const forms = [filter("a"), filter("a", "b"), filter("a", "b", "c")].map(shapeFilter);
    const [one, two, three] = forms.map((form) => () => loops.find(form));
    for (const find of [one, one, two, two, one, three]) find?.();
    expect(one?.()).not.toBeNull();
    expect(two?.()).toBeNull();
  });

  it("are none of a large filter", () => {
    const large = shapeFilter(filter(...Array.from({ length: 100 }, (_, at) => `tag-${at}`)));
    const deep = shapeFilter(filter(...Array.from({ length: 300 }, () => "a")));
    const loops = new FilterLoops(2);
    for (const form of [large, deep]) expect([loops.find(form), loops.find(form)]).toEqual([null, null]);
  });
});

describe("a filter of as many levels as there may be", () => {
  it("gets its loop in no time", () => {
    let nested = filter("a");
    for (let level = 1; level < 32; level += 1) {
      nested = { operator: level % 2 === 0 ? "AND" : "NOT", filters: [nested] };
    }
    const { shape } = shapeFilter(nested);
    const operands = [[0, 1, 2], [1]].map((ordinals) => Bitmap.of(ordinals).chunk(0));
    expect(loopFor(shape, 2).count(operands)).toBe(1);
  });
});

describe("a program that may make no code", () => {
  it.each(["ever", "once it has started"])("%s, has its filters evaluated all the same", async (when) => {
    const forbid = () =>
      vi.stubGlobal("Function", () => {
        throw new EvalError("Code generation from strings disallowed for this context");
      });
    if (when === "ever") forbid();
    const { evaluate } = await import("../../src/segments/evaluate.js");
    forbid();
    const sets = { users: Bitmap.of([0, 1, 2]), tags: new Map([["a", Bitmap.of([1])]]) };
    for (let again = 0; again < 3; again += 1) {
      const matches = await runStep(evaluate({ operator: "NOT", conditions: [{ slug: "a" }] }, sets, 0, 5));
      expect(matches).toEqual({
        total: 2,
        ordinals: [0, 2],
      });
    }
  });
});
