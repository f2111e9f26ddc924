import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OrdinalSet } from "../../adapters/storage/memory/store/ordinal-set.js";
import { CHUNK_SIZE } from "../../src/storage/bitmap.js";

const ordinals = fc.oneof(
  fc.nat(70),
  fc.nat(70).map((distance) => CHUNK_SIZE - 35 + distance),
  fc.nat(3 * CHUNK_SIZE),
);
const writes = fc.array(fc.tuple(ordinals, fc.boolean()), { maxLength: 60 });

function applySteps(steps: readonly (readonly [number, boolean])[]) {
  const [set, model] = [new OrdinalSet(), new Set<number>()];
  for (const [ordinal, added] of steps) {
    set[added ? "add" : "delete"](ordinal);
    model[added ? "add" : "delete"](ordinal);
  }
  return { set, ascending: [...model].sort((a, b) => a - b) };
}

describe("a set of ordinals", () => {
  it("contains the ordinals that were added and not deleted", () => {
    fc.assert(
      fc.property(writes, (steps) => {
        const { set, ascending } = applySteps(steps);
        const bitmap = set.toBitmap();
        expect(bitmap.slice(0, steps.length)).toEqual(ascending);
        expect(steps.filter(([ordinal]) => set.has(ordinal) !== ascending.includes(ordinal))).toEqual([]);
      }),
    );
  });

  it("returns the ordinals above any other, up to the limit", () => {
    fc.assert(
      fc.property(writes, ordinals, fc.nat(20), (steps, after, limit) => {
        const { set, ascending } = applySteps(steps);
        const expected = ascending.filter((ordinal) => ordinal > after).slice(0, limit);
        expect(set.listAbove(after, limit)).toEqual(expected);
      }),
    );
  });

  it("never changes a bitmap that it returned", () => {
    fc.assert(
      fc.property(writes, writes, (before, after) => {
        const { set, ascending } = applySteps(before);
        const bitmap = set.toBitmap();
        for (const [ordinal, added] of after) set[added ? "add" : "delete"](ordinal);
        expect(bitmap.slice(0, before.length)).toEqual(ascending);
      }),
    );
  });

  it("equals another one exactly if both contain the same ordinals", () => {
    fc.assert(
      fc.property(writes, writes, (steps, more) => {
        const [one, other] = [applySteps(steps), applySteps([...steps, ...more])];
        const same = one.ascending.join() === other.ascending.join();
        expect(one.set.equals(other.set)).toBe(same);
        expect(other.set.equals(one.set)).toBe(same);
      }),
    );
  });
});
