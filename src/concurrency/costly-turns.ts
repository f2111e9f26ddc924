import { setImmediate } from "node:timers";

/** Costly work goes on for so many milliseconds in a row at most, when nothing waits. */
const LONGEST = 10;

/** What is not costly holds up each turn for so many milliseconds at most. */
const HELD_UP = 50;

/**
 * The turns of works that keep the event loop for milliseconds at a time: one of them goes on in a turn of the loop, in the
 * order in which they asked, after all that came with the turn.
 */
export class CostlyTurns {
  private readonly line: (() => void)[] = [];
  /** When the one whose turn it is has begun it; null when it is nobody's. */
  private begun: number | null = null;
  private isPostponed = false;
  private heldUpSince: number | null = null;
  private isLooking = false;

  /** @param othersWait whether others wait for a turn of the event loop. */
  constructor(private readonly othersWait: () => boolean) {}

  /** True when a costly work has to wait for its {@link turn} before it goes on. */
  isDue(): boolean {
    if (this.begun === null || this.line.length > 0 || this.othersGoFirst()) return true;
    return performance.now() - this.begun > LONGEST;
  }

  /** Resolves when it is the turn of who asks. */
  turn(): Promise<void> {
    return new Promise((go) => {
      this.line.push(go);
      this.look();
    });
  }

  /** Has costly work wait until the event loop has turned without another call of this. */
  postpone(): void {
    this.isPostponed = true;
  }

  private othersGoFirst(): boolean {
    return this.isPostponed || this.othersWait();
  }

  private look(): void {
    if (this.isLooking) return;
    this.isLooking = true;
    setImmediate(() => {
      this.isLooking = false;
      this.letOn();
    });
  }

  private letOn(): void {
    const now = performance.now();
    if (!this.isHeldUp(now)) {
      this.begun = now;
      this.line.shift()?.();
    }
    this.isPostponed = false;
    if (this.line.length > 0) this.look();
  }

  private isHeldUp(now: number): boolean {
    if (!this.othersGoFirst()) {
      this.heldUpSince = null;
      return false;
    }
    this.heldUpSince ??= now;
    if (now - this.heldUpSince < HELD_UP) return true;
    this.heldUpSince = null;
    return false;
  }
}
