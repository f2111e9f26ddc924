import { setImmediate } from "node:timers";

/** The longest time that low-priority work runs in a row when nothing else waits, in milliseconds. */
const MAX_RUN_MS = 10;

/** The longest time that other work may hold up each low-priority turn, in milliseconds. */
const MAX_WAIT_MS = 50;

/**
 * The turns of works that keep the event loop for milliseconds at a time: one of them goes on in a turn of the loop, in the
 * order in which they asked, after all that came with the turn.
 */
export class LowPriorityScheduler {
  private readonly line: (() => void)[] = [];
  /** When the current low-priority task began; null while none runs. */
  private begun: number | null = null;
  private isPostponed = false;
  private heldUpSince: number | null = null;
  private isLooking = false;

  /** @param othersWait whether others wait for a turn of the event loop. */
  constructor(private readonly othersWait: () => boolean) {}

  /** True when a costly work has to wait for its {@link waitForSlot} before it goes on. */
  mustYield(): boolean {
    if (this.begun === null || this.line.length > 0 || this.othersGoFirst()) return true;
    return performance.now() - this.begun > MAX_RUN_MS;
  }

  /** Resolves when it is the turn of who asks. */
  waitForSlot(): Promise<void> {
    return new Promise((go) => {
      this.line.push(go);
      this.scheduleCheck();
    });
  }

  /** Has costly work wait until the event loop has turned without another call of this. */
  defer(): void {
    this.isPostponed = true;
  }

  private othersGoFirst(): boolean {
    return this.isPostponed || this.othersWait();
  }

  private scheduleCheck(): void {
    if (this.isLooking) return;
    this.isLooking = true;
    setImmediate(() => {
      this.isLooking = false;
      this.runNext();
    });
  }

  private runNext(): void {
    const now = performance.now();
    if (!this.shouldWait(now)) {
      this.begun = now;
      this.line.shift()?.();
    }
    this.isPostponed = false;
    if (this.line.length > 0) this.scheduleCheck();
  }

  private shouldWait(now: number): boolean {
    if (!this.othersGoFirst()) {
      this.heldUpSince = null;
      return false;
    }
    this.heldUpSince ??= now;
    if (now - this.heldUpSince < MAX_WAIT_MS) return true;
    this.heldUpSince = null;
    return false;
  }
}
