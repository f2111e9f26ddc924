import type { Clock } from "../../../src/values/clock.js";
import type { RateWindow } from "./store.js";

/** Full windows are searched for expired ones this often at most. */
const SEARCH_INTERVAL_MS = 1_000;

/** One window in this many is forgotten when all are open. */
const REMOVED_SHARE = 8;

interface Window {
  readonly begin: number;
  readonly end: number;
  requests: number;
  rank: number;
}

/**
 * Fixed windows in the memory of this process, by the given clock. If the limit of open windows is reached, those with the fewest
 * requests make room for new ones. So no client is refused because of the number of others, and to evict a window an attacker must
 * fill every other one about as far.
 */
export class FixedWindows {
  private readonly windows = new Map<string, Window>();
  /** The keys by how many requests they have, to within a factor of two; in each those that came there first come first. */
  private readonly ranks: Set<string>[] = [];
  private searchedAt = Number.NEGATIVE_INFINITY;

  /** @param capacity how many windows there are at most. */
  constructor(
    private readonly clock: Clock,
    private readonly capacity: number,
  ) {}

  get size(): number {
    return this.windows.size;
  }

  /** Counts one request in the key's window. @param seconds how long a window is that begins now. @param weight counts it for more. */
  count(key: string, seconds: number, weight = 1, now = this.clock()): RateWindow {
    const window = this.openWindow(key, now) ?? this.begin(key, now, seconds * 1_000);
    window.requests += weight;
    const rank = computeRank(window.requests);
    if (rank !== window.rank) {
      this.rankAt(window.rank).delete(key);
      this.rankAt(rank).add(key);
      window.rank = rank;
    }
    return { requests: window.requests, msLeft: window.end - now };
  }

  /** Returns the key's window without counting; `null` if it has none. */
  peek(key: string): RateWindow | null {
    const window = this.windows.get(key);
    if (window === undefined) return null;
    const now = this.clock();
    return isOpen(window, now) ? { requests: window.requests, msLeft: window.end - now } : null;
  }

  private openWindow(key: string, now: number): Window | null {
    const window = this.windows.get(key);
    return window !== undefined && isOpen(window, now) ? window : null;
  }

  private begin(key: string, now: number, ms: number): Window {
    this.remove(key);
    if (this.windows.size >= this.capacity) this.removeExpired(now);
    if (this.windows.size >= this.capacity) this.evictLeastUsed();
    const window = { begin: now, end: now + ms, requests: 0, rank: 0 };
    this.windows.set(key, window);
    this.rankAt(0).add(key);
    return window;
  }

  private remove(key: string): void {
    const window = this.windows.get(key);
    if (window === undefined) return;
    this.windows.delete(key);
    this.rankAt(window.rank).delete(key);
  }

  /** Looks at all windows, so not at every request that finds them all open. */
  private removeExpired(now: number): void {
    if (Math.abs(now - this.searchedAt) < SEARCH_INTERVAL_MS) return;
    this.searchedAt = now;
    for (const [key, window] of this.windows) if (!isOpen(window, now)) this.remove(key);
  }

  /** Some at a time: the first of a set takes the longer to find the more were removed before it. */
  private evictLeastUsed(): void {
    const least = this.ranks.find((keys) => keys.size > 0);
    if (least === undefined) return;
    let left = Math.ceil(this.capacity / REMOVED_SHARE);
    for (const key of least) {
      if (left === 0) return;
      this.remove(key);
      left -= 1;
    }
  }

  private rankAt(rank: number): Set<string> {
    for (let next = this.ranks.length; next <= rank; next += 1) this.ranks.push(new Set());
    return this.ranks[rank] ?? new Set();
  }
}

/** The logarithm to base 2, rounded down. */
function computeRank(requests: number): number {
  return Math.max(Math.floor(Math.log2(requests)), 0);
}

/** A clock that was set back keeps a window open for once its length more at most, not for as long as it went. */
function isOpen({ begin, end }: Window, now: number): boolean {
  return now < end && begin - now < end - begin;
}
