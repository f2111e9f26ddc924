import { setImmediate } from "node:timers";

/** Maximum time that low-priority work runs without a pause when nothing else waits, in milliseconds. */
const MAX_RUN_MS = 10;

/** Maximum time that other work may delay each low-priority slot, in milliseconds. */
const MAX_WAIT_MS = 50;

/**
 * Schedules tasks that block the event loop for milliseconds at a time. Runs one task per iteration of the loop, in order of
 * arrival, after all other work in that iteration.
 */
export class LowPriorityScheduler {
  private readonly queue: (() => void)[] = [];
  /** The time when the current low-priority task began; null while none is running. */
  private startedAt: number | null = null;
  private isDeferred = false;
  private delayedSince: number | null = null;
  private isCheckScheduled = false;

  /** @param isOtherWorkWaiting a function that returns whether other work is waiting for an iteration of the event loop. */
  constructor(private readonly isOtherWorkWaiting: () => boolean) {}

  /** Returns `true` if low-priority work must await {@link waitForSlot} before it continues. */
  mustYield(): boolean {
    if (this.startedAt === null || this.queue.length > 0 || this.shouldDefer()) return true;
    return performance.now() - this.startedAt > MAX_RUN_MS;
  }

  /** Resolves when it is the caller's turn to run the next part of its work. */
  waitForSlot(): Promise<void> {
    return new Promise((resolve) => {
      this.queue.push(resolve);
      this.scheduleCheck();
    });
  }

  /** Defers low-priority work until the event loop completes an iteration without another call to this method. */
  defer(): void {
    this.isDeferred = true;
  }

  private shouldDefer(): boolean {
    return this.isDeferred || this.isOtherWorkWaiting();
  }

  private scheduleCheck(): void {
    if (this.isCheckScheduled) return;
    this.isCheckScheduled = true;
    setImmediate(() => {
      this.isCheckScheduled = false;
      this.runNext();
    });
  }

  private runNext(): void {
    const now = performance.now();
    if (!this.shouldWait(now)) {
      this.startedAt = now;
      this.queue.shift()?.();
    }
    this.isDeferred = false;
    if (this.queue.length > 0) this.scheduleCheck();
  }

  private shouldWait(now: number): boolean {
    if (!this.shouldDefer()) {
      this.delayedSince = null;
      return false;
    }
    this.delayedSince ??= now;
    if (now - this.delayedSince < MAX_WAIT_MS) return true;
    this.delayedSince = null;
    return false;
  }
}
