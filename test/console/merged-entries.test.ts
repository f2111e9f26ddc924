import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  emptySource,
  loadPages,
  mergeEntries,
  type ReadPage,
} from "../../adapters/apps/console/browser/customers/merge-pages.js";

const PAGE = 4;

interface Entry {
  readonly id: string;
  readonly at: string;
}

/** Lists of times, newest first, as entries of which each tells where it stands. */
function listsOf(times: readonly (readonly number[])[]): readonly (readonly Entry[])[] {
  return times.map((list, source) =>
    list
      .toSorted((one, other) => other - one)
      .map((time, at) => ({ id: `${source}.${at}`, at: new Date(time * 1_000).toISOString() })),
  );
}

const someLists = fc.array(fc.array(fc.nat(20), { maxLength: 30 }), { maxLength: 5 }).map(listsOf);

/** Reads the lists by pages, and counts how often each was asked. */
function readersOf(lists: readonly (readonly Entry[])[]) {
  const asked = lists.map(() => 0);
  const readers = lists.map(
    (list, at): ReadPage<Entry> =>
      async (page) => {
        asked[at] = (asked[at] ?? 0) + 1;
        const entries = list.slice(page * PAGE, (page + 1) * PAGE);
        return { entries, isLast: (page + 1) * PAGE >= list.length };
      },
  );
  return { asked, readers };
}

describe("several lists, each newest first, as one", () => {
  it("have all entries in the order of their times, however many are wanted at once", async () => {
    await fc.assert(
      fc.asyncProperty(someLists, fc.integer({ min: 1, max: 12 }), async (lists, step) => {
        const { readers } = readersOf(lists);
        const all = lists.flat();
        let sources = await loadPages(
          lists.map(() => emptySource),
          readers,
          step,
        );
        for (let count = step; count < all.length + step; count += step) {
          sources = await loadPages(sources, readers, count);
          const merged = mergeEntries<Entry>(sources);
          expect(merged.length).toBeGreaterThanOrEqual(Math.min(count, all.length));
          const times = merged.map(({ at }) => at);
          const newest = all
            .map(({ at }) => at)
            .toSorted()
            .toReversed();
          expect(times).toEqual(newest.slice(0, times.length));
        }
        expect(new Set(mergeEntries<Entry>(sources).map(({ id }) => id))).toEqual(
          new Set(all.map(({ id }) => id)),
        );
      }),
    );
  });

  it("ask each list once, and again only for what it could add to the entries that are wanted", async () => {
    await fc.assert(
      fc.asyncProperty(someLists, fc.integer({ min: 0, max: 30 }), async (lists, count) => {
        const { asked, readers } = readersOf(lists);
        await loadPages(
          lists.map(() => emptySource),
          readers,
          count,
        );
        const sum = asked.reduce((all, each) => all + each, 0);
        expect(sum).toBeLessThanOrEqual(2 * lists.length + Math.ceil(count / PAGE));
      }),
    );
  });

  it("have an entry once that new ones have moved to the next page meanwhile", async () => {
    const [list = []] = listsOf([Array.from({ length: 9 }, (_, at) => at)]);
    let shown: readonly Entry[] = list.slice(1);
    const reader: ReadPage<Entry> = async (page) => ({
      entries: shown.slice(page * PAGE, (page + 1) * PAGE),
      isLast: (page + 1) * PAGE >= shown.length,
    });
    const first = await loadPages([emptySource], [reader], 1);
    shown = list;
    const sources = await loadPages(first, [reader], 100);
    expect(mergeEntries<Entry>(sources)).toEqual(list.slice(1));
  });
});
