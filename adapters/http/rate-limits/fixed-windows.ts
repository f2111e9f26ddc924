import type { Clock } from "../../../src/values/clock.js";
import type { RateWindow } from "./store.js";

/** How often full ones are searched for those that are over, at most. */
const SEARCH_INTERVAL_MS = 1_000;

/** Which part of them is forgotten at a time when all are open. */
const REMOVED_SHARE = 8;

interface Window {
  readonly begin: number;
  readonly end: number;
  requests: number;
}

/**
 * Fixed windows in the memory of this process, by the clock that it is given. When all that there is room for are open,
 * those that began first are forgotten to make room for new ones.
 */
export class FixedWindows {
  /** Those that began first come first. */
  private readonly windows = new Map<string, Window>();
  private searchedAt = Number.NEGATIVE_INFINITY;

  /** @param capacity how many windows there are at most. */
  constructor(
    private readonly clock: Clock,
    private readonly capacity: number,
  ) {}

  get size(): number {
    return this.windows.size;
  }

  /** Counts one request in the key's window. @param seconds how long a window is that begins now. */
  count(key: string, seconds: number): RateWindow {
    const now = this.clock();
    const window = this.openWindow(key, now) ?? this.begin(key, now, seconds * 1_000);
    window.requests += 1;
    return { requests: window.requests, msLeft: window.end - now };
  }

  /** Whether the key has a window, or can have one that leaves so many places free. */
  hasRoomFor(key: string, free: number): boolean {
    const now = this.clock();
    if (this.openWindow(key, now) !== null) return true;
    if (this.windows.size >= this.capacity - free) this.removeOver(now);
    return this.windows.size < this.capacity - free;
  }

  private openWindow(key: string, now: number): Window | null {
    const window = this.windows.get(key);
    return window !== undefined && isOpen(window, now) ? window : null;
  }

  private begin(key: string, now: number, ms: number): Window {
    // What is set anew would keep its old place.
    this.windows.delete(key);
    if (this.windows.size >= this.capacity) this.removeOver(now);
    if (this.windows.size >= this.capacity) this.removeFirst();
    const window = { begin: now, end: now + ms, requests: 0 };
    this.windows.set(key, window);
    return window;
  }

  /** Looks at all windows, so not at every request that finds them all open. */
  private removeOver(now: number): void {
    if (Math.abs(now - this.searchedAt) < SEARCH_INTERVAL_MS) return;
    this.searchedAt = now;
    for (const [key, window] of this.windows) if (!isOpen(window, now)) this.windows.delete(key);
  }

  /** Some at a time: the first of a map takes the longer to find the more were removed before it. */
  private removeFirst(): void {
    let left = Math.ceil(this.capacity / REMOVED_SHARE);
    for (const key of this.windows.keys()) {
      if (left === 0) return;
      this.windows.delete(key);
      left -= 1;
    }
  }
}

/** A clock that was set back keeps a window open for once its length more at most, not for as long as it went. */
function isOpen({ begin, end }: Window, now: number): boolean {
  return now < end && begin - now < end - begin;
}
