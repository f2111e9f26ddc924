import type { ErrorListener } from "../events/event-emitter.js";
import { type JumpDetectingClock, timestamp } from "../values/clock.js";

/** Determines which segment midnights have passed; none pass while the clock is rejected because it jumped ahead. */
export class SegmentClock {
  #isReported = false;

  constructor(
    private readonly clock: JumpDetectingClock,
    private readonly onError: ErrorListener,
  ) {}

  /** Reads the clock, and returns whether it is rejected. */
  get isRejected(): boolean {
    this.clock.now();
    return this.clock.isRefused;
  }

  /** The current time; while the clock is rejected, the time without the jump. */
  get trusted(): number {
    return this.clock.trusted();
  }

  /**
   * Returns whether an organization's next midnight has passed. If it is still in the future even on a rejected clock, another
   * process has already evaluated the midnights before it, so the clock is accepted.
   */
  hasPassed(nextMidnight: number): boolean {
    const now = this.clock.now();
    if (this.clock.isRefused && nextMidnight > now) this.accept();
    return !this.clock.isRefused && nextMidnight <= now;
  }

  /** Reports a rejected clock, once per rejection. */
  report(): void {
    const now = this.clock.now();
    if (this.clock.isRefused && !this.#isReported) this.onError(new RejectedClock(now));
    this.#isReported = this.clock.isRefused;
  }

  /** Accepts the clock's jump. */
  accept(): void {
    this.clock.acceptJump();
  }
}

/** Reports that the clock jumped by more than a day while the process was running. */
export class RejectedClock extends Error {
  override readonly name = "RejectedClock";

  constructor(now: number) {
    super(
      `the clock jumped to ${timestamp(now)}, more than a day ahead: segments aren't updated until it is corrected, ` +
        "or until you accept it with loyalty-kit segment refresh --accept-clock",
    );
  }
}
