/** An entry with an ID and a time, which is an ISO 8601 timestamp. */
interface Timed {
  readonly id: string;
  readonly at: string;
}

/** The entries loaded so far from a paged list, newest first. */
export interface PagedSource<Entry extends Timed> {
  readonly entries: readonly Entry[];
  /** The time of the oldest item read so far, even if the source leaves it out, or an empty string before the first page. */
  readonly endAt: string;
  /** Number of pages loaded so far. */
  readonly pages: number;
  readonly isComplete: boolean;
}

/** A page of a list. */
interface ReadResult<Entry extends Timed> {
  /** The page's entries. They can leave out items of the page. */
  readonly entries: readonly Entry[];
  /** The time of the page's last item, or an empty string if the page is empty. */
  readonly endAt: string;
  readonly isLast: boolean;
}

/** Loads one page of a list that is sorted newest first. Page numbers start at 0. */
export type ReadPage<Entry extends Timed> = (page: number) => Promise<ReadResult<Entry>>;

/**
 * Merges the loaded entries of several lists into one list, newest first. The merged list ends where the next entry is still
 * unknown because it might be on a page that hasn't been loaded.
 */
export function mergeEntries<Entry extends Timed>(sources: readonly PagedSource<Entry>[]): readonly Entry[] {
  const lastLoadedTimes = sources.flatMap(({ endAt, isComplete }) => (isComplete ? [] : [endAt]));
  const newestUnread = lastLoadedTimes.includes("") ? null : (lastLoadedTimes.toSorted().at(-1) ?? "");
  if (newestUnread === null) return [];
  return sources
    .flatMap(({ entries }) => entries)
    .filter(({ at }) => at >= newestUnread)
    .sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}

/**
 * Loads pages until the merged list has at least `count` entries or all lists are complete. Each round loads a page only from the
 * lists that might contain the merged list's next entry.
 */
export async function loadPages<Entry extends Timed>(
  sources: readonly PagedSource<Entry>[],
  readers: readonly ReadPage<Entry>[],
  count: number,
): Promise<readonly PagedSource<Entry>[]> {
  let loaded = sources;
  while (mergeEntries(loaded).length < count && loaded.some(({ isComplete }) => !isComplete)) {
    const newestTime = findNewestEnd(loaded);
    loaded = await Promise.all(
      loaded.map(async (source, index) => {
        const reader = readers[index];
        const isNext = source.pages === 0 || source.endAt === newestTime;
        return source.isComplete || reader === undefined || !isNext ? source : loadNextPage(source, reader);
      }),
    );
  }
  return loaded;
}

/** Returns the newest time among the last items read from each unfinished list. */
function findNewestEnd(sources: readonly PagedSource<Timed>[]): string {
  const ends = sources.filter(({ isComplete }) => !isComplete).map(({ endAt }) => endAt);
  return ends.toSorted().at(-1) ?? "";
}

/** Reads the next page. Skips known entries, because new ones may have shifted the pages in the meantime. */
async function loadNextPage<Entry extends Timed>(
  { entries, endAt: previousEnd, pages }: PagedSource<Entry>,
  reader: ReadPage<Entry>,
): Promise<PagedSource<Entry>> {
  const { entries: newEntries, endAt, isLast } = await reader(pages);
  const knownIds = new Set(entries.map(({ id }) => id));
  return {
    entries: [...entries, ...newEntries.filter(({ id }) => !knownIds.has(id))],
    endAt: endAt === "" ? previousEnd : endAt,
    pages: pages + 1,
    isComplete: isLast,
  };
}

export const emptySource = { entries: [], endAt: "", pages: 0, isComplete: false } as const;
