import type { AuditPage } from "../../../../../src/resources/audit.js";

/** The most entries that one request brings. */
const MOST = 1_000;

/** Reads entries of the trail after a sequence, oldest first. */
export type ReadActs = (after: number, limit: number) => Promise<AuditPage["content"]>;

/** Some entries of the trail, newest first. */
export interface ActsPage {
  readonly entries: AuditPage["content"];
  /** The sequence of the newest entry of all; 0 for none. */
  readonly newest: number;
  /** The sequence after which this page ends; 0 where nothing is older. */
  readonly before: number;
}

/**
 * Reads the entries before one, newest first. The trail is read from its start alone, and keeps as many as there may be: most
 * trails are read at once, and the end of a longer one is searched by halves, in some thirty requests for one entry each.
 * @param before the sequence that the page ends before; `null` for the newest.
 */
export async function actsBefore(read: ReadActs, size: number, before: number | null): Promise<ActsPage> {
  const newest = before === null ? await newestOf(read) : before - 1;
  const after = Math.max(newest - size, 0);
  const found = newest === 0 ? [] : await read(after, Math.min(size, newest));
  const entries = found.filter(({ sequence }) => sequence <= newest).toReversed();
  // Older entries may be gone: then the page begins with the first that is kept.
  const isLast = after === 0 || entries.length < size;
  return { entries, newest, before: isLast ? 0 : (entries.at(-1)?.sequence ?? 0) };
}

/** Returns the sequence of the newest entry; 0 for none. */
async function newestOf(read: ReadActs): Promise<number> {
  const first = await read(0, MOST);
  let known = first.at(-1)?.sequence ?? 0;
  if (first.length < MOST) return known;
  let beyond = known * 2;
  for (let [next] = await read(beyond, 1); next !== undefined; [next] = await read(beyond, 1)) {
    known = next.sequence;
    beyond = known * 2;
  }
  while (beyond - known > 0) {
    const middle = Math.floor((known + beyond) / 2);
    const [next] = await read(middle, 1);
    if (next === undefined) beyond = middle;
    else known = next.sequence;
  }
  return known;
}
