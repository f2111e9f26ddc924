import type { ErrorListener } from "../events/event-emitter.js";
import { type JumpDetectingClock, timestamp } from "../values/clock.js";

/** Says which midnights of segments have passed: none, while the clock is rejected since it jumped ahead. */
export class SegmentClock {
  #isReported = false;

  constructor(
    private readonly clock: JumpDetectingClock,
    private readonly onError: ErrorListener,
  ) {}

  /** Reads the clock. True while it is rejected. */
  get isRejected(): boolean {
    this.clock.now();
    return this.clock.isRefused;
  }

  /** The time of the clock; while it is rejected, the time without the jump. */
  get trusted(): number {
    return this.clock.trusted();
  }

  /**
   * Returns whether an organization's next midnight has passed. Where that is still to come by a rejected clock, another process has
   * run the midnights before it, so the clock is accepted.
   */
  hasPassed(nextMidnight: number): boolean {
    const now = this.clock.now();
    if (this.clock.isRefused && nextMidnight > now) this.accept();
    return !this.clock.isRefused && nextMidnight <= now;
  }

  /** Reports a rejected clock, once. */
  report(): void {
    const now = this.clock.now();
    if (this.clock.isRefused && !this.#isReported) this.onError(new RejectedClock(now));
    this.#isReported = this.clock.isRefused;
  }

  /** Accepts the clock. */
  accept(): void {
    this.clock.acceptJump();
  }
}

/** The clock has jumped by more than a day while the process ran. */
export class RejectedClock extends Error {
  override readonly name = "RejectedClock";

  constructor(now: number) {
    super(
      `the clock jumped to ${timestamp(now)}, more than a day ahead: segments aren't updated until it is corrected, ` +
        "or until you accept it with loyalty-kit segment refresh --accept-clock",
    );
  }
}
