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

/** Creates lists of entries from times, newest first. An entry's id names its list and position. */
function createLists(times: readonly (readonly number[])[]): readonly (readonly Entry[])[] {
  return times.map((list, source) =>
    list
      .toSorted((one, other) => other - one)
      .map((time, at) => ({ id: `${source}.${at}`, at: new Date(time * 1_000).toISOString() })),
  );
}

const arbitraryLists = fc.array(fc.array(fc.nat(20), { maxLength: 30 }), { maxLength: 5 }).map(createLists);

/**
 * Creates readers of the lists by page, which count their requests.
 * @param isShown whether a page contains an entry of the list. Default: it contains all of them.
 */
function createReaders(
  lists: readonly (readonly Entry[])[],
  isShown: (entry: Entry) => boolean = () => true,
) {
  const requestCounts = lists.map(() => 0);
  const readers = lists.map(
    (list, at): ReadPage<Entry> =>
      async (page) => {
        requestCounts[at] = (requestCounts[at] ?? 0) + 1;
        const items = list.slice(page * PAGE, (page + 1) * PAGE);
        return {
          entries: items.filter(isShown),
          endAt: items.at(-1)?.at ?? "",
          isLast: (page + 1) * PAGE >= list.length,
        };
      },
  );
  return { requestCounts, readers };
}

describe("several lists, each newest first, merged into one", () => {
  it("contain all entries in order of time, for any number of entries requested at a time", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLists, fc.integer({ min: 1, max: 12 }), async (lists, step) => {
        const { readers } = createReaders(lists);
        const all = lists.flat();
        let sources = await loadPages(
          lists.map(() => emptySource),
          readers,
          step,
        );
        for (let count = step; count < all.length + step; count += step) {
          sources = await loadPages(sources, readers, count);
          const mergedEntries = mergeEntries<Entry>(sources);
          expect(mergedEntries.length).toBeGreaterThanOrEqual(Math.min(count, all.length));
          const times = mergedEntries.map(({ at }) => at);
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

  it("stay in order if pages leave out entries, without additional requests", async () => {
    const [list = [], shownList = []] = createLists([
      Array.from({ length: 40 }, (_, at) => at),
      Array.from({ length: 40 }, (_, at) => at),
    ]);
    const { requestCounts, readers } = createReaders([list, shownList], ({ id }) => id.startsWith("1."));
    const sources = await loadPages([emptySource, emptySource], readers, PAGE);
    expect(mergeEntries<Entry>(sources).slice(0, PAGE)).toEqual(shownList.slice(0, PAGE));
    expect(requestCounts).toEqual([1, 1]);
  });

  it("are requested once each, and again only if they could add to the requested entries", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLists, fc.integer({ min: 0, max: 30 }), async (lists, count) => {
        const { requestCounts, readers } = createReaders(lists);
        await loadPages(
          lists.map(() => emptySource),
          readers,
          count,
        );
        const sum = requestCounts.reduce((all, each) => all + each, 0);
        expect(sum).toBeLessThanOrEqual(2 * lists.length + Math.ceil(count / PAGE));
      }),
    );
  });

  it("contain an entry once if new entries move it to the next page in the meantime", async () => {
    const [list = []] = createLists([Array.from({ length: 9 }, (_, at) => at)]);
    let shownEntries: readonly Entry[] = list.slice(1);
    const readShown: ReadPage<Entry> = async (page) => {
      const entries = shownEntries.slice(page * PAGE, (page + 1) * PAGE);
      const isLast = (page + 1) * PAGE >= shownEntries.length;
      return { entries, endAt: entries.at(-1)?.at ?? "", isLast };
    };
    const first = await loadPages([emptySource], [readShown], 1);
    shownEntries = list;
    const sources = await loadPages(first, [readShown], 100);
    expect(mergeEntries<Entry>(sources)).toEqual(list.slice(1));
  });
});
