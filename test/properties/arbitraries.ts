import fc, { type Arbitrary } from "fast-check";
import type { TagFilter } from "loyalty-kit";
import { CHUNK_SIZE } from "../../src/storage/bitmap.js";

/** Filters of conditions and nested filters over these slugs, some levels deep. */
export function arbitraryTagFilters(slugs: readonly string[]): Arbitrary<TagFilter> {
  const operator = fc.constantFrom("AND" as const, "OR" as const, "NOT" as const);
  const conditions = fc.array(fc.record({ slug: fc.constantFrom(...slugs) }), { maxLength: 3 });
  const { filter } = fc.letrec<{ filter: TagFilter; leaf: TagFilter; branch: TagFilter }>((tie) => ({
    filter: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("leaf"), tie("branch")),
    leaf: fc.record({ operator, conditions: requireOne(conditions) }),
    branch: fc.record({
      operator,
      conditions,
      filters: fc.array(tie("filter"), { minLength: 1, maxLength: 3 }),
    }),
  }));
  return filter;
}

function requireOne<T>(lists: Arbitrary<T[]>): Arbitrary<T[]> {
  return lists.filter(({ length }) => length > 0);
}

/** Ordinals around the borders of chunks and words, and anywhere in the first few chunks. */
export const ordinals: Arbitrary<number> = fc.oneof(
  fc.nat({ max: 3 * CHUNK_SIZE + 100 }),
  fc
    .tuple(fc.constantFrom(0, 1, 2, 3), fc.integer({ min: -33, max: 33 }))
    .map(([chunk, away]) => Math.max(0, chunk * CHUNK_SIZE + away)),
);

/** Texts that are easily mistaken: cases, compositions, wildcards, quotes, search operators, unusual planes. */
const difficult = [
  ..."abcABC019 %_\\'\"*-^:.()@",
  ..."ßẞİıΣσςÅåéÉﬁKk東京",
  ...[
    "\u212B",
    "e\u0301",
    "E\u0301",
    "\u0301",
    "H\u0331",
    "J\u030C",
    "ẖ",
    "i\u0307",
    "\u1E9E",
    "Ǆ",
    "ǅ",
    "ǆ",
  ],
  ...[
    "\uE000",
    "\uFFFD",
    "\uFFFF",
    "😀",
    "👩‍👩‍👧",
    "\u{10400}",
    "\u{10428}",
    "\u{10FFFF}",
    "\u200D",
    "\u202E",
    "\uFEFF",
  ],
  ...[" AND ", "NEAR(", "OR ", "--", "/*", "\t", "\n", "가", "\u1100\u1161"],
];

/** Any text that the library accepts, of at most this many code points. */
export function arbitraryTexts(maxLength: number): Arbitrary<string> {
  const units = fc.oneof(
    { arbitrary: fc.constantFrom(...difficult), weight: 4 },
    { arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 2 }), weight: 1 },
  );
  return fc
    .array(units, { maxLength })
    .map((parts) => Array.from(parts.join("").replaceAll("\0", "")).slice(0, maxLength).join(""))
    .filter((text) => text.isWellFormed());
}

/** Texts as in {@link arbitraryTexts} that aren't blank. */
export function filledTexts(maxLength: number): Arbitrary<string> {
  return arbitraryTexts(maxLength).filter((text) => text.trim() !== "");
}
