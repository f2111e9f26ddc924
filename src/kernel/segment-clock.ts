import { type JumpDetectingClock, timestamp } from "../base/values/clock.js";
import type { ErrorListener } from "./events/event-emitter.js";

/** Determines which midnights have passed for segments. While the clock is rejected because it jumped ahead, no midnight passes. */
export class SegmentClock {
  #isReported = false;

  constructor(
    private readonly clock: JumpDetectingClock,
    private readonly onError: ErrorListener,
  ) {}

  /** Whether the clock is rejected. Reads the clock, so the answer is up to date. */
  get isRejected(): boolean {
    this.clock.now();
    return this.clock.isRefused;
  }

  /** The current time, not including the jump while the clock is rejected. */
  get trusted(): number {
    return this.clock.trusted();
  }

  /**
   * Returns whether an organization's next midnight has passed. If the midnight is in the future even according to a rejected
   * clock, another process has already evaluated the earlier midnights. In that case, the clock is accepted.
   */
  hasPassed(nextMidnight: number): boolean {
    const now = this.clock.now();
    if (this.clock.isRefused && nextMidnight > now) this.accept();
    return !this.clock.isRefused && nextMidnight <= now;
  }

  /** Reports the clock as an error if it is rejected. Reports each rejection only once. */
  report(): void {
    const now = this.clock.now();
    if (this.clock.isRefused && !this.#isReported) this.onError(new RejectedClock(now));
    this.#isReported = this.clock.isRefused;
  }

  /** Accepts the clock's time even though it jumped. */
  accept(): void {
    this.clock.acceptJump();
  }
}

/** Reported when the clock jumps by more than a day while the process is running. */
export class RejectedClock extends Error {
  override readonly name = "RejectedClock";

  constructor(now: number) {
    super(
      `the clock jumped to ${timestamp(now)}, more than a day ahead: segments aren't updated until it is corrected, ` +
        "or until you accept it with loyalty-kit segment refresh --accept-clock",
    );
  }
}
