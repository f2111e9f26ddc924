import { setImmediate } from "node:timers";

/** Requests are begun for this many milliseconds in one turn of the event loop. */
const SLICE_MS = 2;

/** This many of those that wait are begun in one turn at most. */
const AT_ONCE = 16;

/**
 * Begins requests of organizations in turn. One that comes while others have just begun for some milliseconds waits until the event
 * loop has turned, and behind one request at most of each other organization: however many one sends at once.
 */
class OrganizationTurns {
  /** By organization; the one whose turn is next comes first. */
  private readonly waiting = new Map<string, (() => void)[]>();
  /** When the first request of this turn was begun; `null` while there was none. */
  private begun: number | null = null;

  /** @returns `null` for a request that may go on; else a promise that resolves when it is its turn. */
  begin(organizationId: string): Promise<void> | null {
    if (this.waiting.size === 0 && !this.isSliceOver()) return null;
    return new Promise((go) => {
      const line = this.waiting.get(organizationId);
      if (line === undefined) this.waiting.set(organizationId, [go]);
      else line.push(go);
    });
  }

  private isSliceOver(): boolean {
    if (this.begun !== null) return performance.now() - this.begun >= SLICE_MS;
    this.begun = performance.now();
    setImmediate(() => this.turned());
    return false;
  }

  private turned(): void {
    this.begun = null;
    if (this.waiting.size === 0) return;
    // Each of them ends with what it has to do before the next one begins.
    for (let at = 0; at < AT_ONCE; at += 1) setImmediate(() => this.beginNext());
  }

  private beginNext(): void {
    for (const [organizationId, line] of this.waiting) {
      if (this.isSliceOver()) return;
      const go = line.shift();
      // Behind the other organizations.
      this.waiting.delete(organizationId);
      if (line.length > 0) this.waiting.set(organizationId, line);
      go?.();
      return;
    }
  }
}

/** There is one event loop, so one of these. */
export const organizationTurns = new OrganizationTurns();
