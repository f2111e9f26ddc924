import type { Clock } from "../../../src/base/values/clock.js";
import type { RateWindow } from "./store.js";

/** Minimum interval between searches for expired windows, in milliseconds. */
const SEARCH_INTERVAL_MS = 1_000;

/** When all windows are open and the capacity is reached, one in this many is evicted. */
const EVICTION_DIVISOR = 8;

interface Window {
  readonly begin: number;
  readonly end: number;
  requests: number;
  rank: number;
}

/**
 * Counts requests in fixed windows in this process's memory. When the capacity is reached, new windows replace the ones with the
 * fewest requests, so a client is never refused just because there are many others. To evict a window, an attacker must first
 * raise the count of every other window to about the same number.
 */
export class FixedWindows {
  private readonly windows = new Map<string, Window>();
  /** Keys grouped by number of requests, to within a factor of two. Each set is in order of insertion. */
  private readonly ranks: Set<string>[] = [];
  private lastSearchAt = Number.NEGATIVE_INFINITY;

  /** @param capacity the maximum number of windows to keep in memory. */
  constructor(
    private readonly clock: Clock,
    private readonly capacity: number,
  ) {}

  get size(): number {
    return this.windows.size;
  }

  /**
   * Counts a request in the key's window, opening a window if none is open.
   * @param seconds the length of the window, if this request opens one.
   * @param weight the number of requests that this request counts as.
   */
  count(key: string, seconds: number, weight = 1): RateWindow {
    const now = this.clock();
    const window = this.findOpenWindow(key, now) ?? this.begin(key, now, seconds * 1_000);
    window.requests += weight;
    const rank = computeRank(window.requests);
    if (rank !== window.rank) {
      this.getOrCreateRank(window.rank).delete(key);
      this.getOrCreateRank(rank).add(key);
      window.rank = rank;
    }
    return { requests: window.requests, msLeft: window.end - now };
  }

  /** Returns the key's window without counting a request, or `null` if the key has no open window. */
  peek(key: string): RateWindow | null {
    const window = this.windows.get(key);
    if (window === undefined) return null;
    const now = this.clock();
    return isOpen(window, now) ? { requests: window.requests, msLeft: window.end - now } : null;
  }

  private findOpenWindow(key: string, now: number): Window | null {
    const window = this.windows.get(key);
    return window !== undefined && isOpen(window, now) ? window : null;
  }

  private begin(key: string, now: number, ms: number): Window {
    this.remove(key);
    if (this.windows.size >= this.capacity) this.removeExpired(now);
    if (this.windows.size >= this.capacity) this.evictLeastUsed();
    const window = { begin: now, end: now + ms, requests: 0, rank: 0 };
    this.windows.set(key, window);
    this.getOrCreateRank(0).add(key);
    return window;
  }

  private remove(key: string): void {
    const window = this.windows.get(key);
    if (window === undefined) return;
    this.windows.delete(key);
    this.getOrCreateRank(window.rank).delete(key);
  }

  /** Removes all expired windows. It looks at every window, so it runs at most once per interval. */
  private removeExpired(now: number): void {
    if (Math.abs(now - this.lastSearchAt) < SEARCH_INTERVAL_MS) return;
    this.lastSearchAt = now;
    for (const [key, window] of this.windows) if (!isOpen(window, now)) this.remove(key);
  }

  /** Evicts many windows together, because finding a set's first element takes longer the more elements were removed before it. */
  private evictLeastUsed(): void {
    const lowestRank = this.ranks.find((keys) => keys.size > 0);
    if (lowestRank === undefined) return;
    let remaining = Math.ceil(this.capacity / EVICTION_DIVISOR);
    for (const key of lowestRank) {
      if (remaining === 0) return;
      this.remove(key);
      remaining -= 1;
    }
  }

  private getOrCreateRank(rank: number): Set<string> {
    for (let next = this.ranks.length; next <= rank; next += 1) this.ranks.push(new Set());
    return this.ranks[rank] ?? new Set();
  }
}

/** Returns the base-2 logarithm, rounded down. */
function computeRank(requests: number): number {
  return Math.max(Math.floor(Math.log2(requests)), 0);
}

/**
 * Returns whether a window is open. If the clock is set back, a window stays open for at most its own length more, not for as long
 * as the clock went back.
 */
function isOpen({ begin, end }: Window, now: number): boolean {
  return now < end && begin - now < end - begin;
}
