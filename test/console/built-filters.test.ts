import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FilterCounts } from "../../adapters/apps/console/browser/segments/filter-counts.js";
import { formatSentence } from "../../adapters/apps/console/browser/segments/filter-sentence.js";
import {
  buildFilter,
  type Group,
  parseGroup,
} from "../../adapters/apps/console/browser/segments/filter-tree.js";
import { formatKeys, parseKeys } from "../../adapters/apps/console/browser/segments/leaf-values.js";
import { canonicalizeFilter, segmentFilterSchema } from "../../src/segments/filter-schema.js";
import { type Choose, chooseSegment } from "../segments/some-segments.js";

const names = { card: (id: string) => id, tag: (slug: string) => slug, segment: (slug: string) => slug };

const hasOther = ({ leaves, groups }: Group): boolean =>
  leaves.some(({ name }) => name === null) || groups.some(hasOther);

describe("a filter in the builder", () => {
  it("has controls for every condition, survives parsing and building unchanged, and can be put into words", () => {
    fc.assert(
      fc.property(fc.gen(), (gen) => {
        const chooseValue: Choose = (values) => {
          for (const value of values.slice(gen(fc.nat, { max: values.length - 1 }))) return value;
          throw new RangeError("there is nothing to choose from");
        };
        const savedSegment = JSON.parse(
          JSON.stringify(chooseSegment(chooseValue, ["wpt_1", "wpt_2"], Date.now())),
        );
        const group = parseGroup(savedSegment);
        if (group === null) throw new Error("the filter is not read");
        expect(hasOther(group)).toBe(false);
        const filter = buildFilter(group);
        if (filter === null) throw new Error("the filter is not whole");
        const toCanonical = (filter: unknown) => canonicalizeFilter(segmentFilterSchema.parse(filter));
        expect(toCanonical(filter)).toEqual(toCanonical(savedSegment));
        expect(formatSentence(group, names)).not.toMatch(/undefined|NaN|…/);
      }),
    );
  });

  it("preserves conditions that it has no controls for exactly as written", () => {
    for (const condition of [
      { visits: { days: 30 } },
      { visits: { days: "30", min: 1 } },
      { metadata: { path: ["a"], equals: "" } },
      { lastVisit: { withinDays: 1, beforeDays: 2 } },
      { slug: "a", language: "de" },
      { stamps: null },
      { __proto__: null, constructor: 1 },
      {},
    ]) {
      const group = parseGroup({ operator: "AND", conditions: [condition] });
      expect(group && buildFilter(group)).toEqual({ operator: "AND", conditions: [condition] });
    }
  });

  it("formats any path of metadata keys as one text and parses it back", () => {
    const path = fc.array(fc.string({ minLength: 1, unit: "grapheme" }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(path, (keys) => {
        expect(parseKeys(formatKeys(keys))).toEqual(keys);
      }),
    );
  });
});

describe("filter counts", () => {
  it("are requested three at a time, and requests whose count is no longer needed are aborted", async () => {
    const requestedFilters: string[] = [];
    const abandonedFilters: string[] = [];
    const replies = new Map<string, (count: number) => void>();
    let knownCounts: ReadonlyMap<string, unknown> = new Map();
    const counts = new FilterCounts(
      (text, signal) =>
        new Promise((resolve) => {
          requestedFilters.push(text);
          replies.set(text, resolve);
          signal.addEventListener("abort", () => abandonedFilters.push(text));
        }),
      (all) => {
        knownCounts = all;
      },
    );
    counts.request(["a", "b"]);
    counts.request(["a", "b", "c", "d"]);
    await expect.poll(() => requestedFilters).toEqual(["a", "b", "c"]);
    replies.get("b")?.(2);
    await expect.poll(() => requestedFilters).toEqual(["a", "b", "c", "d"]);
    counts.request(["b", "d", "e"]);
    expect(abandonedFilters).toEqual(["a", "c"]);
    replies.get("a")?.(1);
    replies.get("d")?.(4);
    await expect.poll(() => requestedFilters).toEqual(["a", "b", "c", "d", "e"]);
    replies.get("e")?.(5);
    await expect
      .poll(() => [...knownCounts])
      .toEqual([
        ["b", 2],
        ["d", 4],
        ["e", 5],
      ]);
    counts.stop();
  });
});
